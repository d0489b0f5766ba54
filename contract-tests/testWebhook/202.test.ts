import { webhookDelivery } from '../../generated/spec.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startDelivering } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { attempted, deliveriesOf, failedDeliveries, register } from '../../testkit/webhooks.js';

test('a sample event has the delivery id of the response, for a webhook of any session', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url, { session_id: 'mine' });
  const answer = await service.request(`/webhooks/${id}/test`, { method: 'POST' });
  expect(answer.status).toBe(202);
  const [sample] = await receiver.until(1);
  expect(sample?.id).toBe(answer.body.delivery_id);
  const { test_event } = webhookDelivery;
  expect(sample?.event).toEqual({ event: 'state_change', ...test_event, timestamp: service.clock.at() });
});

test('a sample that fails permanently is listed by its id and can be retried', async ({ delivering: service }) => {
  const receiver = await startReceiver();
  receiver.answer(410);
  const { id } = await register(service, receiver.url);
  const { delivery_id } = (await service.request(`/webhooks/${id}/test`, { method: 'POST' })).body;
  await attempted(deliveriesOf(service, id), 1);
  const { deliveries } = await failedDeliveries(service, '?session_id=webhook-test');
  expect(deliveries).toMatchObject([{ id: delivery_id, webhook_id: id, reason: 'disabled' }]);
  receiver.answer(204);
  await service.post('/webhooks/retries', { delivery_ids: [delivery_id] });
  expect((await receiver.until(2))[1]?.id).toBe(delivery_id);
});
