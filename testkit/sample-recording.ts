import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the sample recording, relative to the working directory (samples/README.md). */
export const sampleRecording = relative(
  process.cwd(),
  fileURLToPath(new URL('../samples/wrist-heart-rate.csv', import.meta.url)),
);
