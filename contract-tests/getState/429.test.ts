import { expect, test } from 'vitest';
import { makeAccount } from '../../testkit/calls.js';
import { readFields } from '../../testkit/rate-limit-fields.js';
import { client, startTestService } from '../../testkit/service.js';

test('the 121st request per minute for a known or unknown session is rejected with 429', async () => {
  const { request } = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '' } });
  const answers = await Promise.all(Array.from({ length: 121 }, () => request('/v1/state?session_id=never-seen')));
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(120);
  expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({ violated_policies: ['session'] });
  const left = answers.filter(({ status }) => status === 404).map((it) => readFields(it).left['session']?.['r']);
  expect(left.sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => index));
});

test('ingest, state and history share one limit per session, and sessions of other accounts count separately', async () => {
  const { ingest, request, url, clock, store } = await startTestService({
    env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '3' },
  });
  await ingest({ heart_rate: 70 });
  await request('/v1/history?session_id=s1');
  await request('/v1/state?session_id=s1');
  expect((await request('/v1/state?session_id=s1')).status).toBe(429);
  const { key } = await makeAccount({ store, clock }, 'another', 'free');
  expect((await client(url, key, clock).request('/v1/state?session_id=s1')).status).toBe(404);
});

test('responses without limits have no RateLimit fields', async () => {
  const env = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '0', LIMIT_NEW_SESSIONS_PER_MINUTE: '0', LIMIT_MONTHLY_CALLS: '0' };
  const { ingest, request } = await startTestService({ env });
  const answers = [await ingest({ heart_rate: 70 }), await request('/v1/state?session_id=s1')];
  for (const answer of answers) expect(readFields(answer)).toEqual({ quotas: {}, left: {} });
});
