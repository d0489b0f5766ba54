import { retention } from '../../generated/spec.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { storeFailed } from '../../testkit/webhooks.js';

test('a settled delivery is available for 7 days', async ({ service }) => {
  const delivered = { status: 'delivered', reason: null } as const;
  const [delivery] = await storeFailed(service, [{ webhookId: 'wh_a', ...delivered }]);
  const read = () => service.request(`/webhooks/deliveries/${delivery?.deliveryId}`);
  const retainedSeconds = retention.settled_deliveries_days * 24 * 60 * 60;
  service.clock.advance(retainedSeconds);
  await purgeExpired(service.store, service.clock.nowMs);
  expect((await read()).status).toBe(200);
  service.clock.advance(1);
  await purgeExpired(service.store, service.clock.nowMs);
  expect((await read()).body).toMatchObject({ status: 404, code: 'delivery_not_found', detail: 'No such delivery' });
});

test.each(['test', 'rotate-secret', 'dlv_2b7e9d4f6a1c4e3b8d05'])(
  '/webhooks/deliveries/%s returns 404 as for an unknown delivery',
  async (id) => {
    const service = await startTestService();
    expect((await service.request(`/webhooks/deliveries/${id}`)).body.code).toBe('delivery_not_found');
  },
);
