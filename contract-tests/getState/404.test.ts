import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('a session without data is not found', async () => {
  const { request } = await startTestService();
  const answer = await request('/v1/state?session_id=never-seen');
  expect(answer.body).toMatchObject({ status: 404, detail: 'No data for this session', code: 'session_not_found' });
});
