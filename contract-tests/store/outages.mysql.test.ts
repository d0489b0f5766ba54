import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { findRemedy, isTransient, retry } from '../../src/store/retry.js';
import { createTestDatabase } from '../../testkit/databases.js';
import { startProxy } from '../../testkit/proxy.js';

const mysqlErrors = [
  [3, 'EE_WRITE', /disk of the database is full/],
  [1021, 'ER_DISK_FULL', /disk of the database is full/],
  [1114, 'ER_RECORD_FILE_FULL', /disk of the database is full/],
  [1290, 'ER_OPTION_PREVENTS_STATEMENT', /read-only/],
] as const;

test.each(mysqlErrors)('server error %i is retryable and has a remedy', async (number, code, remedy) => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(() => knex.destroy());
  const signal = `signal sqlstate 'HY000' set mysql_errno = ${number}, message_text = 'raised by the test'`;
  const error: unknown = await knex.raw(signal).then(
    () => undefined,
    (raised: unknown) => raised,
  );
  expect(error).toMatchObject({ code });
  expect(isTransient(error)).toBe(true);
  expect(findRemedy(error)).toMatch(remedy);
});

test('a transaction on a closed connection is retried', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const target = new URL(database.url);
  const proxy = await startProxy(target.hostname, Number(target.port || 3306));
  target.host = `127.0.0.1:${proxy.port}`;
  const knex = openDatabase(readConfig({ DATABASE_URL: target.href }).database);
  onTestFinished(() => knex.destroy());
  let attempts = 0;
  const work = () =>
    knex.transaction(async (transaction) => {
      attempts += 1;
      await transaction.raw('select 1');
      if (attempts > 1) return 'committed';
      const connection = await transaction.client.acquireConnection();
      const closed = once(connection.stream, 'close');
      proxy.cut();
      await closed;
      proxy.restore();
      // Knex sends a ROLLBACK, which mysql2 rejects without a code.
      throw new Error('the connection was lost');
    });
  expect(await retry(work)).toBe('committed');
  expect(attempts).toBe(2);
});
