import { once } from 'node:events';
import { findRemedy, isTransient, retry } from '../../src/store/retry.js';
import { startDatabaseProxy } from '../../testkit/proxy.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';

const mysqlErrors = [
  [3, 'EE_WRITE', /disk of the database is full/],
  [1021, 'ER_DISK_FULL', /disk of the database is full/],
  [1114, 'ER_RECORD_FILE_FULL', /disk of the database is full/],
  [1142, 'ER_TABLEACCESS_DENIED_ERROR', /denies access .* password/],
  [1146, 'ER_NO_SUCH_TABLE', /migrate --repair/],
  [1290, 'ER_OPTION_PREVENTS_STATEMENT', /read-only/],
] as const;

test.each(mysqlErrors)('server error %i is retryable and has a remedy', async (number, code, remedy) => {
  const database = await temporaryDatabase();
  const knex = openKnex(database.url);
  const signal = `signal sqlstate 'HY000' set mysql_errno = ${number}, message_text = 'raised by the test'`;
  const error: unknown = await knex.raw(signal).then(
    () => undefined,
    (raised: unknown) => raised,
  );
  expect(error).toMatchObject({ code });
  expect(isTransient(error)).toBe(true);
  expect(findRemedy(error)).toMatch(remedy);
});

test('a transaction on a closed connection is retried', async ({ database }) => {
  const { proxy, url } = await startDatabaseProxy(database.url);
  const knex = openKnex(url);
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
