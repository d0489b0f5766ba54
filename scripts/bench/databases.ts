import { Option } from 'commander';
import { createTestDatabase, type DatabaseKind, isMysqlReachable } from '../../contract-tests/support/databases.js';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/store/database.js';
import { openStore } from '../../src/store/store.js';

export type DatabaseWish = DatabaseKind | 'both';

export const databaseOption = new Option('--database <kind>', 'which to measure')
  .choices(['sqlite', 'mysql', 'both'])
  .default('both');

/** Those that are wished for and there; rejects when the only one wished for is not. */
export async function findDatabases(wish: DatabaseWish): Promise<DatabaseKind[]> {
  if (wish !== 'both') {
    await requireDatabase(wish);
    return [wish];
  }
  if (await isMysqlReachable()) return ['sqlite', 'mysql'];
  console.log('MySQL is not measured: no server answers.\n');
  return ['sqlite'];
}

/** Rejects where there is no such database. */
export async function requireDatabase(kind: DatabaseKind): Promise<void> {
  if (kind === 'mysql' && !(await isMysqlReachable()))
    throw new Error('no MySQL server answers: start one, or set TEST_MYSQL_URL');
}

/** Hands out an empty database, and drops it afterwards. */
export async function withDatabase<T>(kind: DatabaseKind, work: (url: string) => Promise<T>): Promise<T> {
  const { url, drop } = await createTestDatabase(kind);
  try {
    return await work(url);
  } finally {
    await drop();
  }
}

export function titleOf(kind: DatabaseKind): string {
  return kind === 'mysql' ? 'MySQL' : 'SQLite';
}

/** As the server names it, say "10.11.8-MariaDB". Rejects where a commit is acknowledged before it is on disk. */
export async function inspectDatabase(url: string): Promise<string> {
  const config = readConfig({ DATABASE_URL: url }).database;
  const store = openStore(config);
  const knex = openDatabase(config);
  try {
    if (!(await store.isDurable()))
      throw new Error(
        'innodb_flush_log_at_trx_commit is not 1, so commits would not be durable: ' +
          'run SET GLOBAL innodb_flush_log_at_trx_commit = 1 and measure again',
      );
    const expression = config.kind === 'sqlite' ? 'sqlite_version()' : 'version()';
    const { version } = await knex.first({ version: knex.raw(expression) });
    return String(version);
  } finally {
    await store.close();
    await knex.destroy();
  }
}
