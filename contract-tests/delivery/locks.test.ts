import { expect, test } from 'vitest';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import type { DueDelivery } from '../../src/store/delivery-queue.js';
import type { Delivery } from '../../src/store/delivery-row.js';
import { createOutboxTable } from '../../src/store/outbox.js';
import { createWebhookTable, type StoredWebhook } from '../../src/store/webhooks.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import { settleGroup } from '../../src/webhooks/settle.js';
import { openMigrated } from '../../testkit/temporary-database.js';
import { storedWebhook } from '../../testkit/webhooks.js';

const accountId = 'acc_0123456789abcdef0123';
const timestamp = '2026-11-21T09:30:00.000Z';

/** Opens an account with webhooks. `statementsOf` returns the statements of each transaction that locked a webhook. */
async function open(count: number) {
  const { knex, store } = await openMigrated();
  const webhooks = Array.from({ length: count }, (_, index) =>
    storedWebhook(`wh_${index}`, { url: `http://127.0.0.1:${9_000 + index}/`, createdAtMs: index }),
  );
  await store.transact(async (scopeOf) => {
    for (const webhook of webhooks) await createWebhookTable(scopeOf(accountId)).insert(webhook);
  });
  return {
    ...{ knex, store, webhooks },
    async statementsOf(work: () => Promise<unknown>) {
      const transactions = new Map<string, Array<{ sql: string; values: number }>>();
      const listen = (query: { __knexTxId?: string; sql: string; bindings?: readonly unknown[] }) => {
        const { __knexTxId: id = '', sql, bindings = [] } = query;
        transactions.set(id, [...(transactions.get(id) ?? []), { sql, values: bindings.length }]);
      };
      knex.on('query', listen);
      await work();
      knex.off('query', listen);
      const isLock = ({ sql }: { sql: string }) => /^select .*from [`"]?webhooks/.test(sql);
      return [...transactions.values()]
        .filter((all) => all.some(isLock))
        .map((all) => all.slice(all.findIndex(isLock)));
    },
  };
}

/** Columns of the table `deliveries`. */
const columns = 15;
/** Maximum number of deliveries per transaction that holds the lock of a webhook. */
const rowsMax = 200;

test('an expansion of many events to many webhooks locks the webhooks for 200 deliveries at a time', async () => {
  const { knex, store, statementsOf } = await open(50);
  const events = Array.from({ length: 40 }, (_, index) => ({
    ...{ sessionId: `s${index % 10}`, seq: index },
    payload: { event: 'state_change', timestamp, new_state: 'stressed' } as never,
  }));
  await store.transact((scopeOf) => createOutboxTable(scopeOf(accountId)).append(events, 1, 0));
  const transactions = await statementsOf(async () => {
    while (await expandEvents(store, () => 0));
  });
  expect(await knex('deliveries')).toHaveLength(50 * 40);
  const inserted = transactions.map((all) =>
    all.filter(({ sql }) => sql.startsWith('insert into deliveries')).reduce((sum, { values }) => sum + values, 0),
  );
  expect(Math.max(...inserted) / columns).toBeLessThanOrEqual(rowsMax);
  // Every session has one due delivery per webhook, and its events are queued in order behind it.
  expect(await knex('deliveries').where({ status: 'due' })).toHaveLength(50 * 10);
});

const held = (webhook: StoredWebhook, rest: Partial<Delivery> = {}): DueDelivery => ({
  ...createDelivery(
    { ...webhook, accountId },
    { ...{ sessionId: 's1', payload: '{}', dueAtMs: Date.now() + 3_600_000, seq: 1, owner: 'o' }, ...rest },
  ),
  accountId,
});

test('the failures of 100 webhooks are settled with as many statements as one failure', async () => {
  const { knex, store, webhooks, statementsOf } = await open(100);
  const deliveries = webhooks.map((it) => held(it));
  await store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).insert(deliveries));
  const attempt = { timestamp, status: 500, duration_ms: 1 };
  const settle = (some: readonly DueDelivery[]) =>
    statementsOf(() =>
      settleGroup(
        store,
        some.map((delivery) => ({ delivery, attempt })),
        Date.now(),
      ),
    );
  const [one] = await settle(deliveries.slice(0, 1));
  const [others] = await settle(deliveries.slice(1));
  expect(others?.length).toBe(one?.length);
  const stored = await createWebhookTable({ knex, accountId }).list();
  expect(new Set(stored.map(({ failedInRow }) => failedInRow))).toEqual(new Set([1]));
});

test('a receiver that disables its webhook fails a long queue in batches, but not manual retries', async () => {
  const { knex, store, webhooks, statementsOf } = await open(1);
  const webhook = webhooks[0] as StoredWebhook;
  const first = held(webhook);
  const waiting = Array.from({ length: 1_100 }, (_, index) =>
    held(webhook, { ...{ sessionId: `s${index % 3}`, seq: index + 2, owner: null }, status: 'queued' }),
  );
  const retry = held(webhook, { seq: null, owner: null });
  await store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).insert([first, ...waiting, retry]));
  const attempt = { timestamp, status: 410, duration_ms: 1 };
  const transactions = await statementsOf(() => settleGroup(store, [{ delivery: first, attempt }], Date.now()));
  expect(transactions.length).toBeGreaterThan(3);
  for (const { values } of transactions.flat()) expect(values).toBeLessThan(600);
  const rows: ReadonlyArray<Pick<Delivery, 'status' | 'reason'>> = await knex('deliveries').select('status', 'reason');
  expect(rows.filter(({ reason }) => reason === 'disabled')).toHaveLength(1_101);
  expect(rows.filter(({ status }) => status !== 'failed')).toEqual([{ status: 'due', reason: null }]);
});
