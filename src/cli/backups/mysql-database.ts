import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { withDatabase } from '../../store/database.js';
import { readApplied } from '../../store/migrate.js';
import { countRows } from '../../store/rows.js';

/** Statements of `backup` and `restore` on a database of one MySQL host. */

const tablesQuery =
  "select table_name as name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE'";
const nameMax = 64;

/** Runs work on a database, with statements that may take minutes. */
export function withMysql<T>(url: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  return withDatabase({ kind: 'mysql', url }, work);
}

/** Rejects unless the database has a schema that this version can use, e.g. because DATABASE_URL names another one. */
export async function requireSchema(url: string): Promise<void> {
  if ((await withMysql(url, (knex) => readApplied(knex))).size === 0)
    throw new Error(
      'the database does not contain the schema of this service: set DATABASE_URL to the database of the service',
    );
}

export async function hasTables(url: string): Promise<boolean> {
  return (await withMysql(url, listTables)).length > 0;
}

export async function emptyDatabase(url: string): Promise<void> {
  await withMysql(url, async (knex) => {
    for (const table of await listTables(knex)) await knex.schema.dropTable(table);
  });
}

export function countAllRows(url: string): Promise<Map<string, number>> {
  return withMysql(url, async (knex) => countRows(knex, await listTables(knex)));
}

/** Creates an empty database on the same host for `work`, and deletes it. Its name begins with that of the database. */
export async function withTemporaryDatabase<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const temporary = new URL(url);
  const suffix = `_verify_${randomBytes(4).toString('hex')}`;
  const name = decodeURIComponent(temporary.pathname.slice(1)).slice(0, nameMax - suffix.length) + suffix;
  temporary.pathname = `/${encodeURIComponent(name)}`;
  await withMysql(url, (knex) => knex.raw('create database ??', [name])).catch((error: Error) => {
    throw new Error(`the account of DATABASE_URL must be allowed to create ${name}: ${error.message}`, {
      cause: error,
    });
  });
  try {
    return await work(temporary.href);
  } finally {
    await withMysql(url, (knex) => knex.raw('drop database ??', [name]));
  }
}

async function listTables(knex: Knex): Promise<string[]> {
  const [rows] = (await knex.raw(tablesQuery)) as [Array<{ name: string }>];
  return rows.map(({ name }) => name);
}
