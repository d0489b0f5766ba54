import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import type { Knex } from 'knex';
import { withDatabase } from './database.js';
import { applyMigrations, findNewer, readApplied, SchemaError } from './migrate.js';
import { isTransient } from './retry.js';

/** Thrown if a SQLite file is not a usable copy of this service's database. The message names the remedy. */
export class CopyError extends Error {}

/**
 * Writes a consistent copy of a SQLite database to a new file, while other processes may write to the database. The copy
 * contains every transaction that committed before the call. Resolves like `checkCopy`.
 */
export async function copySqlite(file: string, copy: string) {
  // Created first with owner-only permissions, because VACUUM INTO accepts an empty file.
  closeSync(openSync(copy, 'wx', 0o600));
  await onSqlite(file, (run) => run('vacuum into ?', [copy]));
  const checked = await checkCopy(copy, true);
  flush(copy);
  return checked;
}

/**
 * Rejects with a CopyError unless the file is an intact database that this version can open. Leaves no log file.
 *
 * Only the version that wrote a schema knows all its objects. A copy of a newer schema is therefore rejected, unless
 * `mayBeNewer`: a version that uses a newer schema must be able to back it up.
 *
 * Resolves with the numbers of rows by table, and with the name of a table, index, trigger or view that this service did
 * not create, e.g. `trigger spy`.
 */
export async function checkCopy(file: string, mayBeNewer = false) {
  return onSqlite(file, async (run, knex) => {
    const applied = await readApplied(knex);
    if (applied.size === 0) throw new CopyError('it does not contain the schema of this service: use another backup');
    const newer = findNewer(applied);
    if (newer !== undefined && !mayBeNewer)
      throw new CopyError(`a newer version wrote it (migration ${newer}): install that version`);
    const schema = await readSchema(run);
    const foreign = newer === undefined ? await findForeignObject(schema, `${file}.schema`, applied) : undefined;
    const [row] = await run('pragma integrity_check');
    const verdict = row?.['integrity_check'];
    if (verdict !== 'ok') throw new CopyError(`it is damaged (${verdict}): use another backup`);
    const counts = await countRows(run, schema);
    await run('pragma journal_mode = delete');
    return { foreign, counts };
  }).catch((error: Error) => {
    if (error instanceof CopyError || error instanceof SchemaError) throw error;
    throw new CopyError(`it is not a database of this service (${error.message.split('\n')[0]}): use another backup`);
  });
}

export function removeSqlite(file: string): void {
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(file + ending, { force: true });
}

/** SQL by type and name of each table, index, trigger and view. */
type SqliteSchema = ReadonlyMap<string, string>;

/** Compares a schema with the schema of a new database, which is created at `empty` and removed. */
async function findForeignObject(
  found: SqliteSchema,
  empty: string,
  applied: ReadonlySet<string>,
): Promise<string | undefined> {
  try {
    const expected = await onSqlite(empty, async (run, knex) => {
      await applyMigrations(knex, applied);
      return readSchema(run);
    });
    const missing = [...expected.keys()].find((object) => !found.has(object));
    if (missing !== undefined) throw new CopyError(`it is damaged (no ${missing}): use another backup`);
    return [...found.keys()].find((object) => found.get(object) !== expected.get(object));
  } finally {
    removeSqlite(empty);
  }
}

/** Leaves out the statistics of ANALYZE. */
async function readSchema(run: Run): Promise<SqliteSchema> {
  const objects = await run(
    "select type, name, tbl_name || ' ' || coalesce(sql, '') as sql from sqlite_master where name not like 'sqlite_stat_'",
  );
  return new Map(objects.map(({ type = '', name = '', sql = '' }) => [`${type} ${name}`, sql]));
}

async function countRows(run: Run, schema: SqliteSchema): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const object of schema.keys()) {
    const [, table] = /^table (\w+)$/.exec(object) ?? [];
    if (table === undefined) continue;
    const [row] = await run(`select count(*) as count from "${table}"`);
    counts.set(table, Number(row?.['count']));
  }
  return counts;
}

/**
 * Copies the write-ahead log into the database and removes it, so that the database is one file. Returns false while
 * another process has the database open.
 */
export async function mergeWriteAheadLog(file: string): Promise<boolean> {
  try {
    await onSqlite(file, (run) => run('pragma journal_mode = delete'));
  } catch (error) {
    // A damaged database is not in use, and may be replaced.
    return !isTransient(error);
  }
  return true;
}

/** Waits until the content of a file, or the entries of a folder, are on disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

type Run = (sql: string, bindings?: readonly string[]) => Promise<Array<Record<string, string>>>;

function onSqlite<T>(file: string, work: (run: Run, knex: Knex) => Promise<T>): Promise<T> {
  return withDatabase({ kind: 'sqlite', file }, (knex) => work((sql, bindings = []) => knex.raw(sql, bindings), knex));
}
