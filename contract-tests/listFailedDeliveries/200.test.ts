import type { Schema } from '../../src/contract/contract.js';
import type { Delivery } from '../../src/store/delivery-row.js';
import { createWebhookTable } from '../../src/store/webhooks.js';
import { listAt } from '../../testkit/lists.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { failedDeliveries, storedWebhook, storeFailed } from '../../testkit/webhooks.js';

const webhooks = ['wh_a', 'wh_b', 'wh_c'];
const sessions = ['s1', 's2', 'S1', 'a%b&c=d'];

/** Stores 130 failed deliveries, for three webhooks and four sessions. Many have the same timestamp. */
async function fill(service: TestService): Promise<Delivery[]> {
  return storeFailed(
    service,
    Array.from({ length: 130 }, (_, index) => ({
      webhookId: webhooks[index % 3] as string,
      sessionId: sessions[index % 4] as string,
      settledAtMs: service.clock.nowMs - 1000 * Math.floor(((index * 37) % 130) / 20),
      eventAtMs: service.clock.nowMs - 1000 * Math.floor(((index * 23) % 130) / 20),
    })),
  );
}

const { pages } = listAt<Schema<'FailedDeliveryList'>>('/webhooks/retries');

type Time = 'settledAtMs' | 'eventAtMs';

function newestFirst(deliveries: readonly Delivery[], by: Time = 'settledAtMs'): string[] {
  const order = (a: Delivery, b: Delivery) => (b[by] ?? 0) - (a[by] ?? 0) || (b.deliveryId < a.deliveryId ? -1 : 1);
  return [...deliveries].sort(order).map(({ deliveryId }) => deliveryId);
}

test('an account without failed deliveries has an empty page', async () => {
  expect(await failedDeliveries(await startTestService())).toEqual({ deliveries: [], next_cursor: null });
});

test.each<[string, Time, Record<string, string>]>([
  ['failure', 'settledAtMs', {}],
  ['event', 'eventAtMs', { sort: 'event_time' }],
])('pages list the newest %s first, without loss or duplicate, with every filter', async (_name, by, sort) => {
  const service = await startTestService();
  await service.store.transact(async (scopeOf) => {
    for (const id of webhooks) await createWebhookTable(scopeOf(service.accountId)).insert(storedWebhook(id));
  });
  const all = await fill(service);
  const sinceMs = service.clock.nowMs - 3000;
  const since = new Date(sinceMs).toISOString();
  const filters: Array<[Record<string, string>, (it: Delivery) => boolean]> = [
    [{}, () => true],
    [{ webhook_id: 'wh_b' }, ({ webhookId }) => webhookId === 'wh_b'],
    ...sessions.map((session_id): [Record<string, string>, (it: Delivery) => boolean] => [
      { session_id },
      ({ sessionId }) => sessionId === session_id,
    ]),
    [{ since }, (it) => (it[by] ?? 0) >= sinceMs],
    [
      { webhook_id: 'wh_a', session_id: 's1', since },
      (it) => it.webhookId === 'wh_a' && it.sessionId === 's1' && (it[by] ?? 0) >= sinceMs,
    ],
    [{ webhook_id: 'wh_unknown' }, () => false],
    [{ session_id: 'unknown' }, () => false],
    [{ since: service.clock.at(1) }, () => false],
  ];
  for (const [filter, isWanted] of filters) {
    const found = (await pages(service, { ...filter, ...sort })).map(({ deliveries }) => deliveries);
    expect(found.flat().map(({ id }) => id)).toEqual(newestFirst(all.filter(isWanted), by));
    for (const page of found.slice(0, -1)) expect(page).toHaveLength(50);
  }
});

test('fifty failed deliveries fill one page without a next page', async ({ service }) => {
  await storeFailed(
    service,
    Array.from({ length: 50 }, () => ({ webhookId: 'wh_a' })),
  );
  const page = await failedDeliveries(service);
  expect([page.deliveries.length, page.next_cursor]).toEqual([50, null]);
});

test('a delivery that fails while a client reads pages does not appear on a later page', async ({ service }) => {
  const all = await fill(service);
  const first = await failedDeliveries(service);
  service.clock.advance(1);
  await storeFailed(service, [{ webhookId: 'wh_a' }]);
  const second = await failedDeliveries(service, `?cursor=${first.next_cursor}`);
  const third = await failedDeliveries(service, `?cursor=${second.next_cursor}`);
  const seen = [first, second, third].flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
  expect(seen).toEqual(newestFirst(all));
});

test('only failed deliveries are listed', async ({ service }) => {
  for (const status of ['queued', 'due', 'delivered'] as const)
    await storeFailed(service, [{ webhookId: 'wh_a', status, reason: null }]);
  expect((await failedDeliveries(service)).deliveries).toEqual([]);
});

test("another account's failed deliveries are not listed, not even with that account's cursor", async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  await fill(owner);
  const { next_cursor } = await failedDeliveries(owner);
  for (const query of ['', '?webhook_id=wh_a', '?session_id=s1', `?cursor=${next_cursor}`])
    expect(await failedDeliveries(stranger, query)).toEqual({ deliveries: [], next_cursor: null });
});
