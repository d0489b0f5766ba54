import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';
import { comparable, failedDeliveries, register, storeFailed } from '../support/webhooks.js';

test('a webhook that there is not is not found', async () => {
  const answer = await (await startTestService()).post('/webhooks/retries', { webhook_id: 'wh_unknown' });
  expect(answer.body).toMatchObject({ status: 404, detail: 'No such webhook', code: 'webhook_not_found' });
});

test("another account's webhook looks exactly like an absent one, and nothing of it is queued", async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  const { id: webhookId } = await register(owner, 'https://8.8.8.8/');
  await storeFailed(owner, [{ webhookId }]);
  const foreign = await stranger.post('/webhooks/retries', { webhook_id: webhookId });
  const absent = await stranger.post('/webhooks/retries', { webhook_id: 'wh_00000000000000000000' });
  expect(comparable(foreign)).toBe(comparable(absent));
  expect((await failedDeliveries(owner)).deliveries).toHaveLength(1);
});
