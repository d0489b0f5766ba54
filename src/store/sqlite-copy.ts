import { closeSync, fsyncSync, openSync } from 'node:fs';
import { openDatabase } from './database.js';
import { migrations } from './migrations/index.js';
import { isTransient } from './transient.js';

/** Thrown if a SQLite file is not a usable copy of this service's database. The message names the remedy. */
export class CopyError extends Error {}

/**
 * Writes a consistent copy of a SQLite database to a new file, while other processes may write to the database. The copy
 * contains every transaction that committed before the call.
 */
export async function copySqlite(file: string, copy: string): Promise<void> {
  // Created first with owner-only permissions, because VACUUM INTO accepts an empty file.
  closeSync(openSync(copy, 'wx', 0o600));
  await onSqlite(file, (run) => run('vacuum into ?', [copy]));
  await checkCopy(copy);
  flush(copy);
}

/** Rejects with a CopyError unless the file is an intact database that this version can open. Leaves no log file. */
export async function checkCopy(file: string): Promise<void> {
  await onSqlite(file, async (run) => {
    const [row] = await run('pragma integrity_check');
    const verdict = row?.['integrity_check'];
    if (verdict !== 'ok') throw new CopyError(`it is damaged (${verdict}): use another backup`);
    const applied = await run('select name from schema_migrations');
    if (applied.length === 0) throw new CopyError('it holds no schema of this service: use another backup');
    const known = new Set<string | undefined>(migrations.map(({ name }) => name));
    const unknown = applied.find((it) => !known.has(it['name']));
    if (unknown) throw new CopyError(`a newer version wrote it (migration ${unknown['name']}): install that version`);
    await run('pragma journal_mode = delete');
  }).catch((error: Error) => {
    if (error instanceof CopyError) throw error;
    throw new CopyError(`it is not a database of this service (${error.message.split('\n')[0]}): use another backup`);
  });
}

/**
 * Copies the write-ahead log into the database and removes it, so that the database is one file. Returns false while
 * another process has the database open.
 */
export async function closeLog(file: string): Promise<boolean> {
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

async function onSqlite<T>(file: string, work: (run: Run) => Promise<T>): Promise<T> {
  const knex = openDatabase({ kind: 'sqlite', file }, 'administration');
  try {
    return await work((sql, bindings = []) => knex.raw(sql, bindings));
  } finally {
    await knex.destroy();
  }
}
