import { expect, test } from 'vitest';
import { readFields } from '../../testkit/rate-limit-fields.js';
import { startTestService } from '../../testkit/service.js';

test('the first request over the quota of a session is rejected with 429', async () => {
  const { request } = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '1' } });
  const first = await request('/v1/history?session_id=s1');
  expect(readFields(first)).toMatchObject({ quotas: { session: { q: 1, w: 60 } }, left: { session: { r: 0 } } });
  expect((await request('/v1/history?session_id=s1')).body.violated_policies).toEqual(['session']);
});
