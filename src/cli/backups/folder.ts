import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { DatabaseConfig } from '../../config/config.js';
import { listMysqlUrls } from '../../config/mysql-url.js';
import { buildKeyFilePath } from '../../config/secrets-key.js';
import { buildChecksumPath } from './checksum.js';

/** The files of a backup folder. Their names contain the database, so that several databases may share a folder. */

const name = /^state-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.(?:db|sql)(?:\.age)?$/;

/** Returns the path of a new backup, e.g. `state-1f0c9a2b-20261124T093000000Z.db`. */
export function buildBackupPath(folder: string, database: DatabaseConfig, nowMs: number, isEncrypted: boolean): string {
  const time = new Date(nowMs).toISOString().replace(/[-:.]/g, '');
  const ending = (database.kind === 'sqlite' ? '.db' : '.sql') + (isEncrypted ? '.age' : '');
  return join(folder, `state-${identify(database)}-${time}${ending}`);
}

/** Returns the time of the newest backup of the database in the folder, in epoch ms. Undefined if there is none. */
export function findNewestTime(folder: string, database: DatabaseConfig): number | undefined {
  return listBackups(folder, database)[0]?.atMs;
}

/**
 * Deletes the oldest backups of the database beyond `keep`, with their checksums and keys. Never deletes `written`, even
 * if the clock was set back. Returns the deleted backups.
 */
export function deleteOldBackups(folder: string, database: DatabaseConfig, written: string, keep: number): string[] {
  const others = listBackups(folder, database).filter(({ file }) => file !== written);
  const old = others.slice(keep - 1).map(({ file }) => file);
  // The backup is deleted last, so that the next rotation completes an interrupted one.
  for (const file of old)
    for (const path of [buildKeyFilePath(file), buildChecksumPath(file), file]) rmSync(path, { force: true });
  return old;
}

/** Returns the name of an unfinished file, with the process that writes it. */
export function buildDraftPath(file: string): string {
  return `${file}.${process.pid}.partial`;
}

/** Deletes the unfinished backups of the database whose process has ended, in the folder and beside the database. */
export function removeUnfinished(folder: string, database: DatabaseConfig): void {
  removePartials(folder, (file) => readTime(file, database) !== undefined);
  if (database.kind !== 'sqlite' || !existsSync(database.file)) return;
  const live = resolve(database.file);
  removePartials(dirname(live), (file) => file === live);
}

/** `isOurs` receives the name of the finished file. */
function removePartials(folder: string, isOurs: (file: string) => boolean): void {
  for (const entry of readdirSync(folder)) {
    const [, file = '', pid] = /^(.+)\.(\d+)\.partial(?:-wal|-shm|-journal)?$/.exec(entry) ?? [];
    if (isOurs(join(folder, file)) && !isOtherProcess(Number(pid))) rmSync(join(folder, entry), { force: true });
  }
}

function listBackups(folder: string, database: DatabaseConfig) {
  const files = readdirSync(folder).map((entry) => join(folder, entry));
  const timed = files.flatMap((file) => {
    const atMs = readTime(file, database);
    return atMs === undefined ? [] : { file, atMs };
  });
  return timed.sort((a, b) => b.atMs - a.atMs);
}

function readTime(file: string, database: DatabaseConfig): number | undefined {
  const [, id, ...parts] = name.exec(basename(file)) ?? [];
  if (id !== identify(database)) return undefined;
  const [year, month, day, hour, minute, second, ms] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/** Returns 8 hex digits that stand for the path, or for the hosts and the name, of the database. */
function identify(database: DatabaseConfig): string {
  const location =
    database.kind === 'sqlite' ? resolve(database.file) : listMysqlUrls(database.url).map(locate).join(',');
  return createHash('sha256').update(location).digest('hex').slice(0, 8);
}

function locate(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

/** False for this process: in a container, a restarted process often has the same id. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
