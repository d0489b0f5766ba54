import { expect, test } from 'vitest';
import { tiers } from '../../generated/spec.js';
import { createUsageHours, type LoadOfAccount } from '../../src/store/usage-hours.js';
import { createUsageTable } from '../../src/store/usage.js';
import { call, callsInDatabase, makeAccount } from '../../testkit/calls.js';
import { readFields } from '../../testkit/rate-limit-fields.js';
import { Clock, client, startTestService, type TestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';

const state = '/v1/state?session_id=s1';
const quota = tiers.free.monthly_calls;
const solo = tiers.solo.monthly_calls;

test('a free account has 1,000 calls per month, and every response except a 429 counts', async () => {
  const service = await startTestService({});
  const { key, accountId } = await makeSpent(service, 'free', 54, 'free');
  const { request, ingest } = client(service.url, key, service.clock);
  await call(request, 50);
  expect((await ingest({ heart_rate: 'fast' })).status).toBe(422);
  expect((await request(state, { method: 'DELETE' })).status).toBe(405);
  const last = await request(state);
  expect(readFields(last)).toMatchObject({ quotas: { month: { q: quota } }, left: { month: { r: 1 } } });
  expect((await ingest({ heart_rate: 70 })).status).toBe(200);
  for (let more = 0; more < 3; more++) {
    const refused = await request(state);
    expect(refused.body).toMatchObject({ status: 429, violated_policies: ['month'] });
    expect(refused.headers.get('retry-after')).toBe(String(readFields(refused).left['month']?.['t']));
  }
  await expect.poll(() => callsInDatabase(service, accountId)).toBe(quota);
});

test('calls of an unlimited account are counted, and its responses contain no monthly limit', async () => {
  const service = await startTestService({});
  const { key, accountId } = await makeAccount(service, 'big', 'enterprise');
  const { request } = client(service.url, key, service.clock);
  expect(readFields(await request(state)).quotas).not.toHaveProperty('month');
  await call(request, 49);
  await expect.poll(() => callsInDatabase(service, accountId)).toBe(50);
});

test('calls rejected by the session or new-session limit do not count', async () => {
  const env = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2', LIMIT_NEW_SESSIONS_PER_MINUTE: '1', LIMIT_MONTHLY_CALLS: '5' };
  const service = await startTestService({ env });
  const { ingest, request } = service;
  const codes = [];
  for (const session_id of ['a', 'a', 'a', 'b', 'c']) codes.push((await ingest({ session_id, heart_rate: 70 })).status);
  expect(codes).toEqual([200, 200, 429, 429, 429]);
  expect(readFields(await request('/v1/state?session_id=d')).left['month']).toMatchObject({ r: 2 });
});

test('checks run in order: 422, monthly limit, session limit, signals and timestamp', async () => {
  const env = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '1', LIMIT_MONTHLY_CALLS: '1' };
  const { ingest } = await startTestService({ env });
  await ingest({ heart_rate: 70 });
  expect((await ingest({ heart_rate: 'fast' })).status).toBe(422);
  expect((await ingest({ user_message: 'only words' })).body.violated_policies).toEqual(['month']);
});

test('a solo account with 50,000 calls is rejected until the next month, also after a restart', async () => {
  const database = await temporaryDatabase();
  const clock = new Clock();
  clock.nowMs = Date.UTC(2026, 10, 30, 23, 59, 50);
  const before = await startTestService({ database, clock });
  const { key } = await makeSpent(before, 'restarted', 30);
  const { request } = client(before.url, key, clock);
  expect((await call(request, 30)).map(({ status }) => status)).toEqual(Array(30).fill(404));
  expect((await request(state)).status).toBe(429);
  await before.close();
  const after = client((await startTestService({ database, clock })).url, key, clock);
  const refused = await after.request(state);
  expect(refused.body.violated_policies).toEqual(['month']);
  expect(refused.headers.get('retry-after')).toBe('10');
  clock.advance(10);
  const fields = readFields(await after.request(state));
  expect(fields.left['month']).toEqual({ r: solo - 1, t: 31 * 24 * 60 * 60 });
});

test('two processes on one database share the monthly count, except the calls of the last second', async () => {
  const database = await temporaryDatabase();
  const clock = new Clock();
  const [one, two] = [await startTestService({ database, clock }), await startTestService({ database, clock })];
  const { key, accountId } = await makeSpent(one, 'shared', 800);
  const callUntilRefused = async ({ url }: { url: string }) => {
    const { request } = client(url, key, clock);
    const passedAtMs: number[] = [];
    for (;;) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => request(state)));
      for (const { status } of answers) if (status !== 429) passedAtMs.push(performance.now());
      if (answers.some(({ status }) => status === 429)) return passedAtMs;
    }
  };
  const passed = await Promise.all([one, two].map(callUntilRefused));
  const overshoot = passed.flat().length - 800;
  const ofLastSecond = passed.map((times) => times.filter((at) => at > (times.at(-1) ?? 0) - 1000).length);
  console.log(
    `50,000 calls a month through two processes: overshoot ${overshoot}; ` +
      `in their last second they passed ${ofLastSecond.join(' and ')} calls`,
  );
  expect(overshoot).toBeGreaterThanOrEqual(0);
  expect(overshoot).toBeLessThanOrEqual(ofLastSecond.reduce((sum, it) => sum + it));
  await expect.poll(() => callsInDatabase(one, accountId)).toBe(solo + overshoot);
  // These calls make both processes read the total.
  for (const { url } of [one, two]) expect((await client(url, key, clock).request(state)).status).toBe(429);
});

/** Creates an account with this number of calls left. */
async function makeSpent(service: TestService, account: string, left: number, tier: 'free' | 'solo' = 'solo') {
  const made = await makeAccount(service, account, tier);
  const month = new Date(service.clock.nowMs).toISOString().slice(0, 7);
  await service.store
    .use(createUsageTable)
    .add([{ accountId: made.accountId, month, calls: tiers[tier].monthly_calls - left }]);
  return made;
}

test('the load of an account is the sum of what all processes add, per hour', async () => {
  const { store, clock, accountId } = await startTestService({});
  const { add, findTop } = store.use(createUsageHours);
  const load = { accountId, calls: 1, cpuMs: 2.6, rowCount: 4, bytes: 5 };
  for (const hours of [0, 0, 1, 2]) await add([load], clock.nowMs - hours * 3_600_000);
  const [{ account_id, calls, cpu_ms, row_count, bytes }] = (await findTop('calls', clock.nowMs - 3_600_000, 10)) as [
    LoadOfAccount,
  ];
  expect([account_id, ...[calls, cpu_ms, row_count, bytes].map(Number)]).toEqual([accountId, 3, 9, 12, 15]);
});
