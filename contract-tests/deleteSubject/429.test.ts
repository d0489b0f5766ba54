import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('an erasure is a call of the month, and refused when there is none left', async () => {
  const { request } = await startTestService({ env: { LIMIT_MONTHLY_CALLS: '1' } });
  expect((await request('/v1/subjects/anna', { method: 'DELETE' })).status).toBe(404);
  expect((await request('/v1/subjects/anna', { method: 'DELETE' })).body.violated_policies).toEqual(['month']);
});
