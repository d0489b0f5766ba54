import { Option } from 'commander';
import type { Knex } from 'knex';
import mysql from 'mysql2/promise';
import { createTestDatabase, type DatabaseKind, isMysqlReachable } from '../../../testkit/databases.js';
import { type PrivateMariadb, startPrivateMariadb } from '../../../testkit/mariadb.js';
import { freePorts } from '../../../testkit/program.js';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase, withDatabase as withConnections } from '../../../src/store/database.js';
import { type Conflict, insertRows } from '../../../src/store/rows.js';
import { openStore, type Store } from '../../../src/store/store.js';

export type DatabaseChoice = DatabaseKind | 'both';

export const databaseOption = new Option('--database <kind>', 'which to measure')
  .choices(['sqlite', 'mysql', 'both'])
  .default('both');

/**
 * Returns the requested databases that are available. Rejects if only one database is requested and it is unavailable.
 */
export async function findDatabases(choice: DatabaseChoice): Promise<DatabaseKind[]> {
  if (choice !== 'both') {
    await requireDatabase(choice);
    return [choice];
  }
  if (await isMysqlReachable()) return ['sqlite', 'mysql'];
  console.log('MySQL is not measured: no server is reachable.\n');
  return ['sqlite'];
}

/** Rejects when the database is unavailable. */
export async function requireDatabase(kind: DatabaseKind): Promise<void> {
  if (kind === 'mysql' && !(await isMysqlReachable()))
    throw new Error('no MySQL server is reachable: start one, or set TEST_MYSQL_URL');
}

/** Runs the work on an empty database, and drops the database afterwards. */
export async function withDatabase<T>(kind: DatabaseKind, work: (url: string) => Promise<T>): Promise<T> {
  const { url, drop } = await createTestDatabase(kind);
  try {
    return await work(url);
  } finally {
    await drop();
  }
}

/** Runs the work on as many empty databases. */
export function withDatabases<T>(
  kind: DatabaseKind,
  count: number,
  work: (urls: readonly string[]) => Promise<T>,
): Promise<T> {
  if (count === 0) return work([]);
  return withDatabase(kind, (url) => withDatabases(kind, count - 1, (urls) => work([url, ...urls])));
}

/** Runs the statements on the server or database at a URL. */
export async function administer(uri: string, sql: string): Promise<void> {
  const connection = await mysql.createConnection({ uri, multipleStatements: true });
  await connection.query(sql).finally(() => connection.end());
}

/** Runs the work on a server of its own with empty databases, and deletes the server afterwards. */
export async function withMariadb<T>(
  names: readonly string[],
  work: (server: PrivateMariadb, urls: readonly string[]) => Promise<T>,
): Promise<T> {
  const [port = 0] = await freePorts(1);
  const server = await startPrivateMariadb(port);
  try {
    await administer(server.url, names.map((name) => `create database ${name};`).join(''));
    return await work(
      server,
      names.map((name) => `${server.url}/${name}`),
    );
  } finally {
    await server.remove();
  }
}

/** Opens connections to a database. */
export function openKnex(url: string): Knex {
  return openDatabase(readConfig({ DATABASE_URL: url }).database, 'administration');
}

export function withKnex<T>(url: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  return withConnections(readConfig({ DATABASE_URL: url }).database, work);
}

export async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore(readConfig({ DATABASE_URL: url }).database);
  return work(store).finally(() => store.close());
}

const rowsAtOnce = 500;
export type StoredRow = Parameters<typeof insertRows>[2][number];

/** Inserts as many rows. `toRow` returns the row of a number, so that few rows are in memory. */
export async function insertMany(
  knex: Knex,
  table: string,
  count: number,
  toRow: (index: number) => StoredRow,
  conflict?: Conflict,
): Promise<void> {
  for (let from = 0; from < count; from += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, count - from);
    await insertRows(
      knex,
      table,
      Array.from({ length }, (_, index) => toRow(from + index)),
      conflict,
    );
  }
}

export function titleOf(kind: DatabaseKind): string {
  return kind === 'mysql' ? 'MySQL' : 'SQLite';
}

/** Returns the version as reported by the server, e.g. "10.11.8-MariaDB". Rejects when commits are not durable. */
export async function inspectDatabase(url: string): Promise<string> {
  if (!(await withStore(url, (store) => store.isDurable())))
    throw new Error(
      'innodb_flush_log_at_trx_commit is not 1, so commits would not be durable: ' +
        'run SET GLOBAL innodb_flush_log_at_trx_commit = 1 and measure again',
    );
  const expression = url.startsWith('sqlite:') ? 'sqlite_version()' : 'version()';
  return withKnex(url, async (knex) => String((await knex.first({ version: knex.raw(expression) })).version));
}
