import { expect, test } from '../../testkit/test.js';
import { failedDeliveries, storeFailed } from '../../testkit/webhooks.js';

test('a cursor truncated to any length is rejected', async ({ service }) => {
  await storeFailed(
    service,
    Array.from({ length: 51 }, () => ({ webhookId: 'wh_a' })),
  );
  const cursor = (await failedDeliveries(service)).next_cursor as string;
  for (let length = 1; length < cursor.length; length += 1) {
    const { status } = await service.request(`/webhooks/retries?cursor=${cursor.slice(0, length)}`);
    expect([length, status]).toEqual([length, 422]);
  }
  expect((await failedDeliveries(service, `?cursor=${cursor}`)).deliveries).toHaveLength(1);
});
