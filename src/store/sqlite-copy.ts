import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import type { Knex } from 'knex';
import { withDatabase } from './database.js';
import { completeSchema, findNewer, listMissing, readApplied, SchemaError } from './migrate.js';
import { isTransient } from './retry.js';
import { countRows } from './rows.js';

/** Thrown if a SQLite file is not a usable copy of this service's database. The message names the remedy. */
export class CopyError extends Error {}

/**
 * Writes a consistent copy of a SQLite database to a new file, while other processes may write to the database. The copy
 * contains every transaction that committed before the call. Resolves like `checkCopy`.
 */
export async function copySqlite(file: string, copy: string) {
  // Created first with owner-only permissions, because VACUUM INTO accepts an empty file.
  closeSync(openSync(copy, 'wx', 0o600));
  await onSqlite(file, (knex) => knex.raw('vacuum into ?', [copy]));
  const checked = await checkCopy(copy);
  flush(copy);
  return checked;
}

/**
 * Rejects with a CopyError unless the file is an intact database that this version can open. Leaves no log file.
 *
 * Resolves with the numbers of rows by table, and with the name of a table, index, trigger or view that this service did
 * not create, e.g. `trigger spy`.
 */
export async function checkCopy(file: string) {
  return onSqlite(file, async (knex) => {
    const applied = await readApplied(knex);
    if (applied.size === 0) throw new CopyError('it does not contain the schema of this service: use another backup');
    const schema = await readSchema(knex);
    const foreign = await findForeignObject(schema, `${file}.schema`, applied);
    const [{ integrity_check: verdict }] = await knex.raw('pragma integrity_check');
    if (verdict !== 'ok') throw new CopyError(`it is damaged (${verdict}): use another backup`);
    const tables = [...schema.keys()].flatMap((object) => /^table (\w+)$/.exec(object)?.slice(1) ?? []);
    const counts = await countRows(knex, tables);
    await knex.raw('pragma journal_mode = delete');
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

/**
 * Compares a schema with that of a new database, after the migrations that the schema lacks. A version that uses a newer
 * schema must be able to restore it, so it may have further tables, indexes and columns, and lack an index. No version
 * creates a trigger, a view or a virtual table. Builds both schemas at `empty`, and removes the file.
 */
async function findForeignObject(
  found: SqliteSchema,
  empty: string,
  applied: ReadonlySet<string>,
): Promise<string | undefined> {
  const active = [...found].find(([, sql]) => !/^create (table|(unique )?index) /i.test(sql));
  if (active !== undefined) return active[0];
  const expected = await buildSchema(empty, new Map(), new Set());
  const complete = listMissing(applied).length === 0 ? found : await buildSchema(empty, found, applied);
  const isNewer = findNewer(applied) !== undefined;
  const isRequired = (object: string) => !isNewer || object.startsWith('table ');
  const missing = [...expected.keys()].find((object) => !complete.has(object) && isRequired(object));
  if (missing !== undefined) throw new CopyError(`it is damaged (no ${missing}): use another backup`);
  const isExpected = (sql: string, known: string | undefined) => sql === known || (isNewer && isAddition(sql, known));
  return [...complete].find(([object, sql]) => !isExpected(sql, expected.get(object)))?.[0];
}

/** Returns the schema of a new database with these objects, after the migrations that are not in `applied`. */
async function buildSchema(file: string, objects: SqliteSchema, applied: ReadonlySet<string>): Promise<SqliteSchema> {
  try {
    return await onSqlite(file, (knex) =>
      knex.transaction(async (transaction) => {
        for (const sql of objects.values()) await transaction.raw(sql);
        await completeSchema(transaction, applied);
        return readSchema(transaction);
      }),
    );
  } finally {
    removeSqlite(file);
  }
}

/** Returns true for a new table or index, and for a table with new columns, which SQLite adds before the primary key. */
function isAddition(sql: string, known: string | undefined): boolean {
  if (known === undefined) return true;
  const at = known.lastIndexOf(', primary key');
  return at > 0 && sql.startsWith(`${known.slice(0, at)}, `) && sql.endsWith(known.slice(at));
}

/** Tables come first. Leaves out the statistics of ANALYZE, and indexes that belong to the statement of a table. */
async function readSchema(knex: Knex): Promise<SqliteSchema> {
  const objects: Array<Record<'type' | 'name' | 'sql', string>> = await knex.raw(
    "select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_stat_' order by type desc",
  );
  return new Map(objects.map(({ type, name, sql }) => [`${type} ${name}`, sql]));
}

/**
 * Copies the write-ahead log into the database and removes it, so that the database is one file. Returns false while
 * another process has the database open.
 */
export async function mergeWriteAheadLog(file: string): Promise<boolean> {
  try {
    await onSqlite(file, (knex) => knex.raw('pragma journal_mode = delete'));
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

function onSqlite<T>(file: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  return withDatabase({ kind: 'sqlite', file }, work);
}
