import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('reading a history needs a key', async () => {
  const { request } = await startTestService();
  const answer = await request('/v1/history', { headers: { 'X-Service-Key': 'sk_wrong' } });
  expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
});
