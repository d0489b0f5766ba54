import { expect, test } from 'vitest';
import { createKeyTable } from '../../src/store/keys.js';
import { findPoints } from '../../src/store/history-points.js';
import { createSessionReader } from '../../src/store/sessions.js';
import { makeAccount } from '../../testkit/calls.js';
import { readFields } from '../../testkit/rate-limit-fields.js';
import { expectNothingStored } from '../../testkit/raw.js';
import { client, startTestService } from '../../testkit/service.js';

const limited = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '', LIMIT_NEW_SESSIONS_PER_MINUTE: '' };

test('exactly 120 of 200 concurrent requests pass, and the other responses contain the limit', async () => {
  const { ingest, clock, request } = await startTestService({ env: limited });
  const readings = Array.from({ length: 200 }, (_, index) =>
    ingest({ heart_rate: 70, timestamp: clock.at(-index / 4) }),
  );
  const answers = await Promise.all(readings);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
  expect(refused).toHaveLength(80);
  for (const answer of refused) {
    expect(answer.body).toMatchObject({
      type: 'urn:problem-type:realtime-state-service:rate_limit_exceeded',
      title: 'Too Many Requests',
      detail: 'Rate limit exceeded',
      violated_policies: ['session'],
    });
    const { quotas, left } = readFields(answer);
    expect(quotas['session']).toEqual({ q: 120, w: 60 });
    expect(left['session']?.['r']).toBe(0);
    expect(answer.headers.get('retry-after')).toBe(String(left['session']?.['t']));
  }
  // Another session is not affected.
  expect((await request('/v1/history?session_id=s2')).status).toBe(404);
});

test('a rejected reading is not stored', async () => {
  const { ingest, request, clock, store } = await startTestService({
    env: { ...limited, LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' },
  });
  await ingest({ heart_rate: 70 });
  await ingest({ heart_rate: 71, timestamp: clock.at(1) });
  const refused = await ingest({ heart_rate: 72, timestamp: clock.at(2) });
  expect(refused.status).toBe(429);
  expect((await request('/v1/state?session_id=s1')).status).toBe(429);
  const row = (await store.use(createKeyTable).list()).find(({ account }) => account.startsWith('test-'));
  const accountId = row?.accountId ?? '';
  const session = await createSessionReader(store.read(accountId)).find('s1');
  const window = { afterMs: 0, nowMs: Date.now() };
  expect(await findPoints(store.read(accountId), [session?.incarnation ?? ''], window)).toHaveLength(2);
});

test('a key starts 50 sessions per minute, and the 51st is rejected and stores nothing', async () => {
  const service = await startTestService({ env: limited });
  const begin = (index: number) => service.ingest({ session_id: `new-${index}`, heart_rate: 70 });
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => begin(index)));
  const refused = answers.flatMap(({ status }, index) => (status === 429 ? [index] : []));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
  expect(refused).toHaveLength(10);
  for (const index of refused) {
    expect(answers[index]?.body.violated_policies).toEqual(['new-sessions']);
    const { quotas, left } = readFields(answers[index] as { headers: Headers });
    expect(quotas).toEqual({ session: { q: 120, w: 60 }, 'new-sessions': { q: 50, w: 60 } });
    expect(left['new-sessions']?.['r']).toBe(0);
    await expectNothingStored(service, `new-${index}`);
  }
  // Existing sessions are not affected.
  const known = answers.findIndex(({ status }) => status === 200);
  expect((await service.ingest({ session_id: `new-${known}`, heart_rate: 71 })).status).toBe(200);
});

test('each key of an account has its own quota of new sessions', async () => {
  const { ingest, url, clock, store } = await startTestService({
    env: { ...limited, LIMIT_NEW_SESSIONS_PER_MINUTE: '1' },
  });
  const account =
    (await store.use(createKeyTable).list()).find((row) => row.account.startsWith('test-'))?.account ?? '';
  const other = client(url, (await makeAccount({ store, clock }, account, 'enterprise')).key, clock);
  const begin = (send: typeof ingest, session_id: string) => send({ session_id, heart_rate: 70 });
  expect((await begin(ingest, 'a')).status).toBe(200);
  expect((await begin(ingest, 'b')).status).toBe(429);
  expect((await begin(other.ingest, 'b')).status).toBe(200);
  // The session has data now, so any key may use it.
  expect((await begin(ingest, 'b')).status).toBe(200);
});

test('concurrent first readings of one session, resends and rejected readings count as at most one new session', async () => {
  const { ingest, clock } = await startTestService({ env: { ...limited, LIMIT_NEW_SESSIONS_PER_MINUTE: '2' } });
  const refusals = [{ timestamp: clock.at(-400), heart_rate: 70 }, { user_message: 'only words' }, { heart_rate: 700 }];
  for (const [index, refused] of refusals.entries())
    expect((await ingest({ session_id: `never-${index}`, ...refused })).status).toBeGreaterThanOrEqual(400);
  const first = Array.from({ length: 20 }, (_, index) => ingest({ session_id: 'one', heart_rate: 70 + (index % 10) }));
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
  expect((await ingest({ session_id: 'two', heart_rate: 70 })).status).toBe(200);
  expect((await ingest({ session_id: 'three', heart_rate: 70 })).status).toBe(429);
});

test('checks run in order: 422, session limit, signals and timestamp, new-session limit', async () => {
  const { ingest } = await startTestService({
    env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '3', LIMIT_NEW_SESSIONS_PER_MINUTE: '1' },
  });
  await ingest({ session_id: 'other', heart_rate: 70 });
  const answers = [
    await ingest({ heart_rate: 'fast' }),
    await ingest({ user_message: 'only words' }),
    await ingest({ heart_rate: 70 }),
    await ingest({ timestamp: '2020-01-01T00:00:00Z', heart_rate: 70 }),
    await ingest({ user_message: 'only words' }),
    await ingest({ heart_rate: 'fast' }),
  ];
  expect(answers.map(({ body }) => body.violated_policies ?? body.code)).toEqual([
    'validation_failed',
    'missing_signals',
    ['new-sessions'],
    'timestamp_too_old',
    ['session'],
    'validation_failed',
  ]);
});
