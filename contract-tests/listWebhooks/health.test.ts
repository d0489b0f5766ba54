import { webhookDelivery as settings } from '../../generated/spec.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startDelivering } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { attempted, deliveriesOf, register, storeDue, storeFailed, webhookOf } from '../../testkit/webhooks.js';

const hook = { events: ['state_change'] };

test('a listed webhook has its newest failure, its newest success and its number of consecutive failures', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url);
  const deliveries = deliveriesOf(service, id);
  expect(await webhookOf(service, id)).toMatchObject({ consecutive_failures: 0, queued_deliveries: 0 });
  expect(await webhookOf(service, id)).not.toHaveProperty('last_failure_at');
  receiver.answer(500);
  await service.post(`/webhooks/${id}/test`);
  await attempted(deliveries, 1);
  const failedAt = service.clock.at();
  const attempt = { status: 500, timestamp: failedAt, duration_ms: expect.any(Number) };
  const failing = {
    ...{ status: 'active', consecutive_failures: 1, last_failure_at: failedAt, queued_deliveries: 1 },
    ...{ last_failure: attempt, next_attempt_at: service.clock.at(settings.retry_after_seconds[0]) },
  };
  expect(await webhookOf(service, id)).toMatchObject(failing);
  expect(await webhookOf(service, id)).not.toHaveProperty('last_success_at');
  const { deliveries: queued } = (await service.request('/webhooks/deliveries?status=pending')).body;
  expect(queued).toMatchObject([{ webhook_id: id, status: 'pending', attempts: [attempt] }]);
  receiver.answer(204);
  service.clock.advance(settings.retry_after_seconds[0]);
  await attempted(deliveries, 2);
  expect(await webhookOf(service, id)).toMatchObject({
    consecutive_failures: 0,
    last_failure_at: failedAt,
    last_success_at: service.clock.at(),
    queued_deliveries: 0,
  });
  expect(await webhookOf(service, id)).not.toHaveProperty('next_attempt_at');
});

test('each webhook has its own health, and queued deliveries are counted up to a limit', async ({ service }) => {
  const [busy, idle] = [await register(service, 'https://8.8.8.8/1'), await register(service, 'https://8.8.8.8/2')];
  await storeDue(service, busy.id, settings.queued_count_max + 5);
  const delivered = { status: 'delivered', reason: null } as const;
  const settledAtMs = service.clock.nowMs - 5_000;
  await storeFailed(service, [
    { webhookId: idle.id, ...delivered, settledAtMs },
    { webhookId: idle.id, ...delivered, settledAtMs: settledAtMs - 1 },
    { webhookId: idle.id },
  ]);
  expect(await webhookOf(service, busy.id)).toMatchObject({ queued_deliveries: settings.queued_count_max });
  expect(await webhookOf(service, idle.id)).toMatchObject({
    queued_deliveries: 0,
    last_success_at: service.clock.at(-5),
  });
});

test('the log contains one line when a webhook becomes failed, disabled or active again', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url, { session_id: 'session-of-anna' });
  const deliveries = deliveriesOf(service, id);
  const logged = () => service.logs.filter((line) => line.includes('"previous"') && line.includes(id));
  const statuses = () => logged().map((line) => [JSON.parse(line).level, JSON.parse(line).msg]);
  receiver.answer((_, response, count) => void response.writeHead(count < 4 ? 500 : 204).end());
  await service.post(`/webhooks/${id}/test`);
  for (const [index, seconds] of settings.retry_after_seconds.entries()) {
    await attempted(deliveries, index + 1);
    service.clock.advance(seconds);
  }
  await attempted(deliveries, settings.retry_after_seconds.length + 1);
  await expect.poll(statuses).toEqual([
    [40, 'a webhook is failed'],
    [30, 'a webhook is active again'],
  ]);
  receiver.answer(410);
  await service.post(`/webhooks/${id}/test`);
  await until('the webhook is disabled', async () => (await webhookOf(service, id)).status === 'disabled');
  await service.post('/webhooks/register', { ...hook, url: receiver.url, session_id: 'session-of-anna' });
  await until('four lines', async () => logged().length === 4);
  await expect
    .poll(() => statuses().slice(2))
    .toEqual([
      [40, 'a webhook is disabled'],
      [30, 'a webhook is active again'],
    ]);
  expect(JSON.parse(logged()[2] ?? '')).toMatchObject({
    accountId: service.accountId,
    webhookId: id,
    previous: 'active',
  });
  expect(logged().join()).not.toMatch(/anna|127\.0\.0\.1/);
});
