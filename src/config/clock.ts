import { readFileSync } from 'node:fs';
import type { Config } from './config.js';

/** Returns the clock of a process, in epoch ms: that of the system, or the content of the file TEST_CLOCK_FILE. */
export function createClock({ testClockFile }: Pick<Config, 'testClockFile'>): () => number {
  return testClockFile === undefined ? Date.now : () => Number(readFileSync(testClockFile, 'utf8'));
}
