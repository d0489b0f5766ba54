import { Option } from 'commander';
import { createTestDatabase, type DatabaseKind, isMysqlReachable } from '../../../testkit/databases.js';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/store/database.js';
import { openStore } from '../../../src/store/store.js';

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

export function titleOf(kind: DatabaseKind): string {
  return kind === 'mysql' ? 'MySQL' : 'SQLite';
}

/** Returns the version as reported by the server, e.g. "10.11.8-MariaDB". Rejects when commits are not durable. */
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
