import { expect, test } from 'vitest';
import { webhookDelivery } from '../../generated/spec.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startDelivering, type TestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';
import { attempted, deliveriesOf, register, startStory, webhookOf } from '../../testkit/webhooks.js';

const { max_seconds: longest, recovery_seconds: recovery } = webhookDelivery.extended_retry;

/** Resolves when `count` deliveries exist, and none of the unsettled ones is due or in flight. */
async function quiet({ clock }: TestService, deliveries: ReturnType<typeof deliveriesOf>, count: number) {
  await until(`${count} deliveries wait`, async () => {
    const all = await deliveries();
    const due = all.filter(({ status }) => status === 'due');
    return all.length >= count && due.every(({ owner, dueAtMs }) => owner === null && dueAtMs > clock.nowMs);
  });
}

test('a receiver that is down for an hour gets every event afterwards, in order per session, under the first id', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  receiver.answer(503);
  const webhook = await register(service, receiver.url, { retry: 'extended' });
  const deliveries = deliveriesOf(service, webhook.id);
  const stories = [await startStory(service, 'one'), await startStory(service, 'two')];
  const told: string[] = [];
  for (let minute = 0; minute < 60; minute += 5) {
    for (const { change } of stories) told.push((await change()).timestamp);
    await quiet(service, deliveries, told.length);
    service.clock.advance(5 * 60);
    await quiet(service, deliveries, told.length);
  }
  expect((await deliveries()).map(({ status }) => status)).not.toContain('failed');
  expect((await webhookOf(service, webhook.id)).status).toBe('failed');
  const refused = receiver.received.length;
  // Only the first event of each session is attempted, and no attempt is early.
  expect(refused).toBeLessThanOrEqual(stories.length * 5);
  const refusedIds = new Set(receiver.received.map(({ id }) => id));

  receiver.answer(204);
  service.clock.advance(longest);
  await until('all are delivered', async () => (await deliveries()).every(({ status }) => status === 'delivered'));
  const accepted = receiver.received.slice(refused);
  expect(accepted).toHaveLength(told.length);
  expect(new Set(accepted.map(({ id }) => id)).size).toBe(told.length);
  for (const id of refusedIds) expect(accepted.map((it) => it.id)).toContain(id);
  for (const session of ['one', 'two']) {
    const times = accepted.flatMap(({ event }) => (event.session_id === session ? [event.timestamp] : []));
    expect(times).toEqual(told.filter((_, index) => index % 2 === (session === 'one' ? 0 : 1)));
  }
  expect((await webhookOf(service, webhook.id)).status).toBe('active');
});

test('after the first success of a failed webhook, its waiting deliveries are sent within a minute', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  receiver.answer(500);
  const webhook = await register(service, receiver.url, { retry: 'extended' });
  const deliveries = deliveriesOf(service, webhook.id);
  for (const session of ['one', 'two']) await (await startStory(service, session)).change();
  for (const seconds of [0, 1, 4, 16, 64, 256]) {
    service.clock.advance(seconds);
    await quiet(service, deliveries, 2);
  }
  const waiting = (await deliveries()).map(({ dueAtMs }) => dueAtMs - service.clock.nowMs);
  for (const leftMs of waiting) expect(leftMs).toBeGreaterThan(recovery * 1000);
  receiver.answer(204);
  await service.post(`/webhooks/${webhook.id}/test`);
  await until('active', async () => (await webhookOf(service, webhook.id)).status === 'active');
  service.clock.advance(recovery);
  await until('all are delivered', async () => (await deliveries()).every(({ status }) => status === 'delivered'));
});

test('registering again with another `retry` changes the schedule of queued deliveries, and without it keeps the schedule', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  receiver.answer(500);
  const webhook = await register(service, receiver.url);
  expect(webhook.retry).toBe('standard');
  const deliveries = deliveriesOf(service, webhook.id);
  await (await startStory(service)).change();
  await attempted(deliveries, 1);
  const again = (rest: object) =>
    service.post('/webhooks/register', { url: receiver.url, events: ['state_change'], ...rest });
  expect(await again({ retry: 'extended' })).toMatchObject({
    status: 200,
    body: { id: webhook.id, retry: 'extended' },
  });
  expect((await again({})).body.retry).toBe('extended');
  for (const [index, seconds] of [1, 4, 16].entries()) {
    service.clock.advance(seconds);
    await attempted(deliveries, index + 2);
  }
  expect((await deliveries())[0]?.status).toBe('due');
  expect((await again({ retry: 'standard' })).body.retry).toBe('standard');
  service.clock.advance(longest);
  await until('failed', async () => (await deliveries())[0]?.status === 'failed');
  expect((await webhookOf(service, webhook.id)).retry).toBe('standard');
});

test('hanging attempts of a webhook with extended retries occupy no slots of another webhook at the same host', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  receiver.answer(({ headers }, response) => {
    if (headers['x-service-signature'] !== undefined && response.req.url !== '/stuck') response.writeHead(204).end();
  });
  const stuck = await register(service, receiver.url.replace('/hooks', '/stuck'), { retry: 'extended' });
  for (let count = 0; count < 40; count += 1) await service.post(`/webhooks/${stuck.id}/test`);
  await receiver.until(4);
  for (const retry of ['standard', 'extended'] as const) {
    const { length } = receiver.received;
    const { id } = await register(service, `${receiver.url}/${retry}`, { retry });
    for (let count = 0; count < 5; count += 1) await service.post(`/webhooks/${id}/test`);
    await receiver.until(length + 5);
  }
});
