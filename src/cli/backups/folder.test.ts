import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { buildDraftPath, findNewestTime, buildBackupPath, removeUnfinished, deleteOldBackups } from './folder.js';

const database = { kind: 'sqlite', file: '/data/state.db' } as const;
const other = { kind: 'mysql', url: 'mysql://u:p@db1:3306,db2:3306/state' } as const;
const hourMs = 3_600_000;
let folder: string;

beforeEach(async () => void (folder = await temporaryFolder()));

function write(database: Parameters<typeof buildBackupPath>[1], atMs: number, isEncrypted = false): string {
  const file = buildBackupPath(folder, database, atMs, isEncrypted);
  for (const path of [file, `${file}.checksum`, `${file}.key`]) writeFileSync(path, '');
  return file;
}

test('keeps the newest backups, and deletes the others with their checksums and keys', () => {
  const files = [5, 1, 3, 2, 4].map((hour) => write(database, hour * hourMs, hour % 2 === 0)).sort();
  const newest = files.at(-1) as string;
  expect(deleteOldBackups(folder, database, newest, 5)).toEqual([]);
  expect(deleteOldBackups(folder, database, newest, 3).sort()).toEqual(files.slice(0, 2));
  expect(readdirSync(folder)).toHaveLength(9);
  expect(deleteOldBackups(folder, database, newest, 1)).toHaveLength(2);
  expect(readdirSync(folder)).toHaveLength(3);
  expect(existsSync(newest)).toBe(true);
});

test('never deletes the backup that was just written, also if the clock was set back', () => {
  const later = [10, 20].map((hour) => write(database, hour * hourMs));
  const written = write(database, hourMs);
  expect(deleteOldBackups(folder, database, written, 2)).toEqual([later[0]]);
  expect(deleteOldBackups(folder, database, written, 1)).toEqual([later[1]]);
  expect(existsSync(written)).toBe(true);
});

test('deletes no file of another database, and none with a similar name', () => {
  const written = write(database, 100 * hourMs);
  const name = basename(buildBackupPath(folder, database, hourMs, false));
  const foreign = [`${name}.old`, `copy-${name}`, name.replace('Z.', '.'), name.replace('.db', '.txt'), 'state.db'];
  for (const file of foreign) writeFileSync(join(folder, file), '');
  write(other, hourMs);
  const before = readdirSync(folder);
  expect(deleteOldBackups(folder, database, written, 1)).toEqual([]);
  expect(readdirSync(folder)).toEqual(before);
});

test('the name of a backup contains its time and no password, and depends on the hosts', () => {
  const atMs = Date.parse('2026-11-24T09:30:00.123Z');
  const file = buildBackupPath(folder, other, atMs, true);
  expect(basename(file)).toMatch(/^state-[0-9a-f]{8}-20261124T093000123Z\.sql\.age$/);
  const secret = { kind: 'mysql', url: other.url.replace(':p@', ':q@') } as const;
  expect(buildBackupPath(folder, secret, atMs, true)).toBe(file);
  const moved = { kind: 'mysql', url: other.url.replace('db2', 'db3') } as const;
  expect(buildBackupPath(folder, moved, atMs, true)).not.toBe(file);
  write(other, atMs);
  expect(findNewestTime(folder, other)).toBe(atMs);
  expect(findNewestTime(folder, database)).toBeUndefined();
});

test('removes unfinished backups of ended processes, and none of a running one or of another database', () => {
  const { pid: ended } = spawnSync('true');
  const namePartial = (file: string, pid: number) => `${file}.${pid}.partial`;
  const mine = buildBackupPath(folder, database, 0, false);
  const partials = [
    namePartial(mine, ended),
    `${namePartial(mine, ended)}-wal`,
    buildDraftPath(mine),
    namePartial(mine, process.ppid),
    namePartial(buildBackupPath(folder, other, 0, false), ended),
    join(folder, `notes.${ended}.partial`),
  ];
  for (const file of partials) writeFileSync(file, '');
  removeUnfinished(folder, database);
  expect(partials.map((file) => existsSync(file))).toEqual([false, false, false, true, true, true]);
});
