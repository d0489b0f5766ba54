import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { readConfig } from '../src/config/config.js';
import { openDatabase } from '../src/store/database.js';
import type { TestDatabase } from './databases.js';
import { until } from './until.js';

/** The server updates `innodb_trx` only after 100 ms without a query for it. */
const pauseMs = 150;
const waitingForLocks = `select count(*) as count from information_schema.innodb_trx
  join information_schema.processlist on id = trx_mysql_thread_id
  where trx_state = 'LOCK WAIT' and db = database()`;

/**
 * Returns a function that resolves when the work has ended or `count` transactions of the MySQL database wait for
 * locks. With this function, a test makes two transactions overlap.
 */
export function watchLocks({ url }: TestDatabase): (work: Promise<unknown>, count?: number) => Promise<void> {
  const knex = openDatabase(readConfig({ DATABASE_URL: url }).database);
  onTestFinished(() => knex.destroy());
  return async (work, count = 1) => {
    let isEnded = false;
    const end = () => void (isEnded = true);
    work.then(end, end);
    await until('the work ends or waits', async () => {
      await sleep(pauseMs);
      const [[row]] = await knex.raw(waitingForLocks);
      return isEnded || row.count >= count;
    });
  };
}
