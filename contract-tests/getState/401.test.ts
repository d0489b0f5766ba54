import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('reading a state needs a key', async () => {
  const { request } = await startTestService();
  const answer = await request('/v1/state?session_id=s1', { headers: { 'X-Service-Key': '' } });
  expect(answer).toMatchObject({ status: 401, body: { code: 'missing_api_key' } });
});
