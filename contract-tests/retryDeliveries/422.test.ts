import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['neither ids nor a webhook', {}, '', 'exclusive'],
  ['both ids and a webhook', { delivery_ids: ['dlv_1'], webhook_id: 'wh_1' }, '', 'exclusive'],
  ['since without a webhook', { since: '2026-11-21T09:00:00.000Z' }, '/webhook_id', 'missing'],
  ['since with ids', { delivery_ids: ['dlv_1'], since: '2026-11-21T09:00:00Z' }, '/webhook_id', 'missing'],
])('a retry request with %s is rejected', async (_name, body, pointer, code) => {
  const response = await (await startTestService()).post('/webhooks/retries', body);
  expect(response.body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(response.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
});
