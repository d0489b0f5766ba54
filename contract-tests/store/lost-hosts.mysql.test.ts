import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { isTransient } from '../../src/store/retry.js';
import type { ServerFacts } from '../../src/store/server-facts.js';
import { createTransact } from '../../src/store/store.js';
import { createPositionTable } from '../../src/store/stream-positions.js';
import { startDatabaseProxy } from '../../testkit/proxy.js';
import type { TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const limitMs = 300_000;

/** Locks the stream position of the account and keeps the lock, as a process does that has lost its network. */
async function holdLock({ database, accountId }: TestService, settings = 'do 0'): Promise<void> {
  const { proxy, url } = await startDatabaseProxy(database.url);
  const knex = openDatabase(readConfig({ DATABASE_URL: url }).database);
  const transaction = await knex.transaction();
  onTestFinished(async () => {
    await transaction.rollback().catch(() => undefined);
    await knex.destroy();
  });
  transaction.executionPromise.catch(() => undefined);
  await transaction.raw(settings);
  expect(await transaction('stream_positions').where({ account_id: accountId }).forUpdate()).toHaveLength(1);
  proxy.hang();
}

test(
  'ingest of an account continues when a process that holds its lock loses its network',
  { timeout: limitMs },
  async ({ ownService: service }) => {
    await service.read({ heart_rate: 70 });
    await holdLock(service);
    expect((await service.ingest({ session_id: 's2', heart_rate: 70 })).status).toBe(503);
    await until('a reading', async () => (await service.ingest({ session_id: 's2', heart_rate: 70 })).status === 200);
  },
);

test(
  'where the server has no timeout for idle transactions, waiting processes end them',
  { timeout: limitMs },
  async ({ ownService: service }) => {
    await service.read({ heart_rate: 70 });
    await holdLock(service, 'set session idle_transaction_timeout = 0, idle_write_transaction_timeout = 0');
    const knex = openKnex(service.database.url);
    await knex.raw('select 1');
    (knex.userParams as { server: ServerFacts }).server.endsIdleTransactions = false;
    const transact = createTransact(knex);
    const lock = () => transact((scopeOf) => createPositionTable(scopeOf(service.accountId)).countErasure());
    await until('the lock', () => lock().then(() => true, ignoreOutage));
  },
);

async function ignoreOutage(error: unknown): Promise<false> {
  if (!isTransient(error)) throw error;
  await sleep(100);
  return false;
}
