import { open } from 'node:fs/promises';
import { wholeFileMaxBytes } from './measurement.js';

/** Reads a file as a whole. Rejects a file above 64 MB, so that memory is bounded. */
export async function readWholeFile(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size > wholeFileMaxBytes)
      throw new Error(`the file has ${size} bytes, at most ${wholeFileMaxBytes} are read: split it by day or activity`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
