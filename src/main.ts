#!/usr/bin/env node
import { isMainThread } from 'node:worker_threads';
import { startTracing } from './tracing/tracing.js';

/** The root folder, both from `src` and from `dist`. */
const root = new URL('../', import.meta.url);
const program = new URL(import.meta.url);

// Each thread loads only what it needs.
if (isMainThread) {
  const { runCommand } = await import('./cli/command.js');
  await runCommand({ program, root, env: process.env });
} else {
  const { runCore } = await import('./core/thread.js');
  runCore(await startTracing(process.env));
}
