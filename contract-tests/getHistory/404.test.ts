import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('an unknown session has no history', async () => {
  const { request } = await startTestService();
  const answer = await request('/v1/history?session_id=never-seen&minutes=60');
  expect(answer.body).toMatchObject({ status: 404, detail: 'No data for this session' });
});
