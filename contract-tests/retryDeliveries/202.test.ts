import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { deliveriesOf, failedDeliveries, register, storeFailed } from '../../testkit/webhooks.js';

const url = 'https://8.8.8.8/';
const idOf = ({ deliveryId }: { deliveryId: string }) => deliveryId;

test('failed deliveries that are retried keep their ids and get a new schedule', async ({ service }) => {
  const { id: webhookId } = await register(service, url);
  const attempts = [{ timestamp: service.clock.at(), status: 500, duration_ms: 1 }];
  const failed = await storeFailed(service, [{ webhookId, attempts, seq: 7 }, { webhookId }, { webhookId }]);
  const wanted = failed.slice(0, 2).map(idOf);
  service.clock.advance(10);
  const { status, body } = await service.post('/webhooks/retries', { delivery_ids: wanted });
  expect([status, body.count, [...body.delivery_ids].sort()]).toEqual([202, 2, [...wanted].sort()]);
  expect((await failedDeliveries(service)).deliveries.map(({ id }) => id)).toEqual([failed[2]?.deliveryId]);
  const stored = await deliveriesOf(service, webhookId)();
  const queued = stored.filter(({ deliveryId }) => wanted.includes(deliveryId));
  const fresh = { status: 'due', dueAtMs: service.clock.nowMs, attempts: [], seq: null, reason: null, owner: null };
  expect(queued).toMatchObject([fresh, fresh]);
});

test('retrying unknown, not failed or already retried deliveries has no effect', async ({ service }) => {
  const { id: webhookId } = await register(service, url);
  const [failed] = await storeFailed(service, [{ webhookId }]);
  const others = [];
  for (const status of ['queued', 'due', 'delivered'] as const)
    others.push(...(await storeFailed(service, [{ webhookId, status, reason: null }])));
  const orphans = await storeFailed(service, [{ webhookId: 'wh_removed' }]);
  const delivery_ids = ['dlv_unknown', ...[failed, ...others, ...orphans].flatMap((it) => it?.deliveryId ?? [])];
  const retry = async () => (await service.post('/webhooks/retries', { delivery_ids })).body;
  expect(await retry()).toEqual({ count: 1, delivery_ids: [failed?.deliveryId] });
  expect(await retry()).toEqual({ count: 0, delivery_ids: [] });
});

test('webhook_id retries all failed deliveries of a webhook, with since only those that failed after a time', async () => {
  const service = await startTestService();
  const [one, other] = [await register(service, url), await register(service, `${url}other`)];
  const settled = (webhookId: string, seconds: number) => ({
    webhookId,
    settledAtMs: service.clock.nowMs - seconds * 1000,
  });
  const [older, edge, newer] = await storeFailed(
    service,
    [60, 30, 0].map((seconds) => settled(one.id, seconds)),
  );
  await storeFailed(service, [settled(other.id, 0)]);
  const retry = async (rest: object) =>
    (await service.post('/webhooks/retries', { webhook_id: one.id, ...rest })).body.delivery_ids.sort();
  expect(await retry({ since: service.clock.at(-30) })).toEqual([edge?.deliveryId, newer?.deliveryId].sort());
  expect(await retry({})).toEqual([older?.deliveryId]);
  expect(await retry({})).toEqual([]);
  expect((await failedDeliveries(service)).deliveries.map(({ webhook_id }) => webhook_id)).toEqual([other.id]);
});

test('a request may contain a hundred ids', async ({ service }) => {
  const { id: webhookId } = await register(service, url);
  const failed = await storeFailed(service, Array(100).fill({ webhookId }));
  expect((await service.post('/webhooks/retries', { delivery_ids: failed.map(idOf) })).body.count).toBe(100);
});

test('the newest thousand deliveries of a webhook are queued, and the next request queues the rest', async () => {
  const service = await startTestService();
  const { id: webhookId } = await register(service, url);
  const [oldest] = await storeFailed(service, [{ webhookId, settledAtMs: service.clock.nowMs - 1 }]);
  await storeFailed(service, Array(1000).fill({ webhookId }));
  const retry = async () => (await service.post('/webhooks/retries', { webhook_id: webhookId })).body;
  const first = await retry();
  expect([first.count, first.delivery_ids.includes(oldest?.deliveryId)]).toEqual([1000, false]);
  expect(await retry()).toEqual({ count: 1, delivery_ids: [oldest?.deliveryId] });
});

test('ordered retries select the oldest thousand events, with since those that happened at or after a time', async () => {
  const service = await startTestService();
  const { id: webhook_id } = await register(service, url);
  const at = (index: number) => service.clock.nowMs - 10_000 + index;
  // The oldest event failed last.
  const events = Array.from({ length: 1003 }, (_, index) => ({
    webhookId: webhook_id,
    eventAtMs: at(index),
    settledAtMs: service.clock.nowMs - index,
  }));
  const ids = (await storeFailed(service, [...events].reverse())).map(idOf).reverse();
  const retry = async (rest: object) => (await service.post('/webhooks/retries', { webhook_id, ...rest })).body;
  const since = new Date(at(1001)).toISOString();
  expect(await retry({ ordered: true, since })).toEqual({ count: 2, delivery_ids: ids.slice(1001) });
  expect(await retry({ ordered: true })).toEqual({ count: 1000, delivery_ids: ids.slice(0, 1000) });
  expect(await retry({ ordered: false })).toEqual({ count: 1, delivery_ids: [ids[1000]] });
});

test('of several concurrent retries of one delivery, exactly one queues the delivery', async ({ service }) => {
  const { id: webhookId } = await register(service, url);
  const [failed] = await storeFailed(service, [{ webhookId }]);
  const body = { delivery_ids: [failed?.deliveryId] };
  const answers = await Promise.all([1, 2, 3, 4].map(() => service.post('/webhooks/retries', body)));
  expect(answers.map((it) => it.body.count).sort()).toEqual([0, 0, 0, 1]);
});
