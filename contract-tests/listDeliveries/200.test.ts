import type { Schema } from '../../src/contract/contract.js';
import type { Delivery } from '../../src/store/delivery-row.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { startReceiver } from '../../testkit/receiver.js';
import { expect, test } from '../../testkit/test.js';
import { register, storeFailed } from '../../testkit/webhooks.js';
import { until } from '../../testkit/until.js';
import { listAt } from '../../testkit/lists.js';

const statuses = ['delivered', 'failed', 'due', 'queued'] as const;

/** Stores 260 deliveries of every status, for two webhooks and three sessions. Many have the same timestamp. */
async function fill(service: TestService): Promise<Delivery[]> {
  return storeFailed(
    service,
    Array.from({ length: 260 }, (_, index) => {
      const status = statuses[index % 4] ?? 'due';
      const isSettled = index % 4 < 2;
      return {
        webhookId: `wh_${index % 2 < 1 ? 'a' : 'b'}${index % 8 < 4 ? 1 : 2}`,
        sessionId: `s${index % 3}`,
        status,
        reason: status === 'failed' ? ('attempts_exhausted' as const) : null,
        settledAtMs: isSettled ? service.clock.nowMs - 1000 * Math.floor(((index * 37) % 130) / 20) : null,
      };
    }),
  );
}

const { page, pages } = listAt<Schema<'DeliveryList'>>('/webhooks/deliveries');

/** Returns the ids of all pages in order. Checks that every page except the last one contains 50 deliveries. */
async function walk(service: TestService, filter: Record<string, string>): Promise<string[]> {
  const all = (await pages(service, filter)).map(({ deliveries }) => deliveries);
  for (const it of all.slice(0, -1)) expect(it).toHaveLength(50);
  return all.flat().map(({ id }) => id);
}

function newestFirst(deliveries: readonly Delivery[]): string[] {
  const order = (a: Delivery, b: Delivery) =>
    (b.settledAtMs ?? 0) - (a.settledAtMs ?? 0) || (b.deliveryId < a.deliveryId ? -1 : 1);
  return [...deliveries].sort(order).map(({ deliveryId }) => deliveryId);
}

test('pages list settled deliveries newest first, without loss or duplicate, with every filter', async () => {
  const service = await startTestService();
  const all = await fill(service);
  const settled = all.filter(({ settledAtMs }) => settledAtMs !== null);
  const sinceMs = service.clock.nowMs - 3000;
  const since = new Date(sinceMs).toISOString();
  const filters: Array<[Record<string, string>, (it: Delivery) => boolean]> = [
    [{}, () => true],
    [{ status: 'delivered' }, ({ status }) => status === 'delivered'],
    [{ status: 'failed' }, ({ status }) => status === 'failed'],
    [{ webhook_id: 'wh_a1' }, ({ webhookId }) => webhookId === 'wh_a1'],
    [{ session_id: 's1', status: 'delivered' }, (it) => it.sessionId === 's1' && it.status === 'delivered'],
    [{ since }, ({ settledAtMs }) => (settledAtMs ?? 0) >= sinceMs],
    [
      { webhook_id: 'wh_b1', session_id: 's0', since },
      (it) => isOf(it, 'wh_b1', 's0') && (it.settledAtMs ?? 0) >= sinceMs,
    ],
    [{ webhook_id: 'wh_unknown' }, () => false],
  ];
  for (const [filter, isWanted] of filters)
    expect([filter, await walk(service, filter)]).toEqual([filter, newestFirst(settled.filter(isWanted))]);
  const isQueued = (it: Delivery) => it.webhookId === 'wh_b2' && it.settledAtMs === null;
  expect(await walk(service, { status: 'pending', webhook_id: 'wh_b2' })).toEqual(newestFirst(all.filter(isQueued)));
});

function isOf(it: Delivery, webhookId: string, sessionId: string): boolean {
  return it.webhookId === webhookId && it.sessionId === sessionId;
}

test('a successful delivery is listed with its attempt, payload and timestamp', async ({ delivering: service }) => {
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url);
  const { delivery_id } = (await service.post(`/webhooks/${id}/test`)).body;
  const [received] = await receiver.until(1);
  await until('the delivery is listed', async () => (await page(service, {})).deliveries.length > 0);
  const at = service.clock.at();
  const attempt = { status: 204, timestamp: at, duration_ms: expect.any(Number) };
  const listed = { id: delivery_id, webhook_id: id, status: 'delivered', settled_at: at, attempts: [attempt] };
  expect(await page(service, { webhook_id: id })).toEqual({
    deliveries: [{ ...listed, payload: received?.event }],
    next_cursor: null,
  });
  expect(await page(service, { status: 'failed' })).toEqual({ deliveries: [], next_cursor: null });
});

test("another account's deliveries are not listed, not even with that account's cursor", async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  await fill(owner);
  const { next_cursor } = await page(owner, {});
  for (const query of [{}, { webhook_id: 'wh_a1' }, { session_id: 's1' }, { cursor: next_cursor ?? '' }])
    expect(await page(stranger, query as Record<string, string>)).toEqual({ deliveries: [], next_cursor: null });
});
