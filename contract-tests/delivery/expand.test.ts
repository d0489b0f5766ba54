import { expect, test } from 'vitest';
import { createOutboxTable } from '../../src/store/outbox.js';
import { createWebhookTable, type StoredWebhook } from '../../src/store/webhooks.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { createQueueBound } from '../../src/webhooks/queues.js';
import { openMigrated } from '../../testkit/temporary-database.js';
import { storedWebhook } from '../../testkit/webhooks.js';

const accountId = 'acc_0123456789abcdef0123';
const timestamp = '2026-11-21T09:30:00.000Z';

/** Opens an account with webhooks. Returns a function that expands events, and returns the SQL and the deliveries. */
async function open(count: number, change: (index: number) => Partial<StoredWebhook> = () => ({})) {
  const { knex, store } = await openMigrated();
  await store.transact(async (scopeOf) => {
    for (let index = 0; index < count; index += 1) {
      const rest = { url: `http://127.0.0.1:${9_000 + index}/`, createdAtMs: index, ...change(index) };
      await createWebhookTable(scopeOf(accountId)).insert(storedWebhook(`wh_${index}`, rest));
    }
  });
  const bound = createQueueBound();
  return async (...events: ReadonlyArray<readonly [sessionId: string, seq: number]>) => {
    await store.transact((scopeOf) =>
      createOutboxTable(scopeOf(accountId)).append(
        events.map(([sessionId, seq]) => ({
          sessionId,
          seq,
          payload: { event: 'state_change', timestamp, new_state: 'stressed' } as never,
        })),
        1,
        0,
      ),
    );
    const statements: string[] = [];
    const listen = ({ sql }: { sql: string }) => void statements.push(sql);
    knex.on('query', listen);
    await expandEvents(store, () => 0, bound);
    knex.off('query', listen);
    const deliveries = await knex('deliveries').select('webhook_id', 'session_id', 'seq', 'status').orderBy('seq');
    return { statements, deliveries, left: await knex('outbox') };
  };
}

test.each([1, 40])('one insert stores the deliveries of an event to %i webhooks', async (count) => {
  const expand = await open(count);
  const first = await expand(['s1', 1]);
  expect(first.deliveries.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'due'));
  const { statements, deliveries, left } = await expand(['s1', 2], ['s2', 3], ['s2', 4]);
  const statuses = (session: string, seq: number) =>
    deliveries.filter((it) => it.session_id === session && it.seq === seq).map(({ status }) => status);
  for (const [session, seq, status] of [
    ['s1', 2, 'queued'] as const,
    ['s2', 3, 'due'] as const,
    ['s2', 4, 'queued'] as const,
  ])
    expect(statuses(session, seq)).toEqual(Array.from({ length: count }, () => status));
  expect(new Set(deliveries.map(({ webhook_id }) => webhook_id)).size).toBe(count);
  expect(left).toEqual([]);
  expect(statements.filter((sql) => sql.startsWith('insert into deliveries'))).toHaveLength(1);
  // Finds the sessions (two, on SQLite three), begins, reads the epoch, lists webhooks, locks events and webhooks, finds busy queues,
  // inserts, deletes events, commits.
  expect(statements.length).toBeLessThanOrEqual(12);
});

test('without a webhook, events are deleted and no delivery is stored', async () => {
  const expand = await open(0);
  const { statements, deliveries, left } = await expand(['s1', 1]);
  expect([deliveries, left]).toEqual([[], []]);
  expect(statements.filter((sql) => sql.includes('deliveries'))).toEqual([]);
});

test('in one group, each webhook gets only its own events, and a disabled one gets failed deliveries', async () => {
  const kinds = [{ sessionId: 's1' }, { registeredEpoch: 2 }, { disabledAtMs: 1, disabledEpoch: 2 }, {}];
  const expand = await open(kinds.length, (index) => kinds[index] as Partial<StoredWebhook>);
  const { deliveries } = await expand(['s1', 1], ['s2', 2]);
  expect(deliveries.map((it) => `${it.webhook_id} ${it.session_id} ${it.status}`).sort()).toEqual([
    'wh_0 s1 due',
    'wh_2 s1 failed',
    'wh_2 s2 failed',
    'wh_3 s1 due',
    'wh_3 s2 due',
  ]);
});
