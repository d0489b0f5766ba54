import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';
import { storeFailed } from '../../testkit/webhooks.js';

test.each([
  ['queued', 'pending'],
  ['due', 'pending'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
] as const)('a %s delivery is read as %s', async (stored, status) => {
  const service = await startTestService();
  const isSettled = status !== 'pending';
  const settledAtMs = isSettled ? service.clock.nowMs : null;
  const reason = status === 'failed' ? 'disabled' : null;
  const [delivery] = await storeFailed(service, [{ webhookId: 'wh_a', status: stored, settledAtMs, reason }]);
  const { body } = await service.request(`/webhooks/deliveries/${delivery?.deliveryId}`);
  expect(body).toEqual({
    id: delivery?.deliveryId,
    webhook_id: 'wh_a',
    status,
    payload: JSON.parse(delivery?.payload ?? ''),
    attempts: [],
    ...(isSettled && { settled_at: service.clock.at() }),
    ...(reason && { reason }),
  });
});
