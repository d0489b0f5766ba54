import { Option } from 'commander';
import { type DatabaseKind, isMysqlReachable } from '../../contract-tests/support/databases.js';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/store/database.js';
import { openStore } from '../../src/store/store.js';

export type DatabaseWish = DatabaseKind | 'both';

export const databaseOption = new Option('--database <kind>', 'which to measure')
  .choices(['sqlite', 'mysql', 'both'])
  .default('both');

/** Those that are wished for and there; rejects when the only one wished for is not. */
export async function findDatabases(wish: DatabaseWish): Promise<DatabaseKind[]> {
  if (wish === 'sqlite') return ['sqlite'];
  const hasMysql = await isMysqlReachable();
  if (!hasMysql && wish === 'mysql') throw new Error('no MySQL server answers: start one, or set TEST_MYSQL_URL');
  if (!hasMysql) console.log('MySQL is not measured: no server answers.\n');
  if (wish === 'mysql') return ['mysql'];
  return hasMysql ? ['sqlite', 'mysql'] : ['sqlite'];
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
