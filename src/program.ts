import { isMainThread } from 'node:worker_threads';
import { setV8Options } from './observe/v8-options.js';

/** The root folder, both from `src` and from `dist`. */
const root = new URL('../', import.meta.url);
const program = new URL(import.meta.url);

// Both threads run this file. Each loads only the modules that it needs.
if (isMainThread) {
  setV8Options();
  const { runCommand } = await import('./cli/command.js');
  await runCommand({ program, root, env: process.env });
} else {
  const { runCore } = await import('./serve/thread.js');
  const { startTracing } = await import('./observe/tracing.js');
  runCore(await startTracing(process.env));
}
