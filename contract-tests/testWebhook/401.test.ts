import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test.each([
  ['', 'missing_api_key'],
  [`sk_${'0'.repeat(32)}`, 'invalid_api_key'],
])('sending a sample needs a key: with "%s" it is refused', async (key, code) => {
  const { request } = await startTestService();
  const answer = await request('/webhooks/wh_1/test', { method: 'POST', headers: { 'X-Service-Key': key } });
  expect(answer).toMatchObject({ status: 401, body: { code } });
});
