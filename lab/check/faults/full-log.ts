import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { owe } from '../../../testkit/owed.js';
import { type Stage } from '../attacks/stage.js';

/**
 * Size of the hole at the start of the log file, bytes. It lets the size limit affect the log, but no database file.
 */
const startBytes = 2 ** 34;

/** Returns the path of a log file whose writes can be made to fail. */
export function createLimitedLog(defer: Stage['defer']): string {
  const folder = mkdtempSync(join(tmpdir(), 'full-log-'));
  defer(owe(async () => rmSync(folder, { recursive: true, force: true })));
  const file = join(folder, 'log');
  writeFileSync(file, '');
  truncateSync(file, startBytes);
  return file;
}

/** Makes every further write of the process to its log fail with EFBIG. */
export function fillLimitedLog(pid: number): void {
  limitFileSize(pid, String(startBytes));
}

/** Sets the maximum size of files that the process writes, in bytes. `unlimited` removes the limit. */
export function limitFileSize(pid: number, bytes: string): void {
  // Changes only the soft limit. After a change of the hard limit, the soft limit could not be raised again.
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
