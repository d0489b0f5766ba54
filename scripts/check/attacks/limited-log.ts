import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { owe } from '../../../contract-tests/support/owed.js';
import type { Stage } from './stage.js';

/** The log begins behind so much empty space that its size limit reaches no database file. */
const startBytes = 2 ** 34;

/** Returns the path of a log file that can be made to refuse further writes. */
export function createLimitedLog(defer: Stage['defer']): string {
  const folder = mkdtempSync(join(tmpdir(), 'full-log-'));
  defer(owe(async () => rmSync(folder, { recursive: true, force: true })));
  const file = join(folder, 'log');
  writeFileSync(file, '');
  truncateSync(file, startBytes);
  return file;
}

/** From now on every write of the process to its limited log fails with EFBIG. */
export function fillLimitedLog(pid: number): void {
  limitFileSize(pid, String(startBytes));
}

/** Sets the size in bytes beyond which the process cannot write to any file; `unlimited` removes the limit. */
export function limitFileSize(pid: number, bytes: string): void {
  // The hard limit stays: only then can the soft limit be raised again.
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
