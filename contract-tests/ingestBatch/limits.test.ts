import { createReadingWriter } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/prepared-reading.js';
import { batchResults, postBatch } from '../../testkit/batch.js';
import { callsInDatabase, makeAccount } from '../../testkit/calls.js';
import { grantOf } from '../../testkit/grants.js';
import { ample, client, startTestService, type TestService } from '../../testkit/service.js';
import { erasing } from '../../testkit/stored.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';

const linesOf = ({ clock }: TestService, count: number, sessionOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({
    session_id: sessionOf(index),
    timestamp: new Date(clock.nowMs - count + index).toISOString(),
    heart_rate: 80,
  }));

test('lines above the limit of a session get a 429, and lines of other sessions do not', async () => {
  const service = await startTestService({ env: { ...ample, LIMIT_SESSION_REQUESTS_PER_MINUTE: '3' } });
  const lines = linesOf(service, 8, (index) => (index % 4 === 3 ? 'other' : 'busy'));
  const results = await batchResults(service, lines);
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429, 429, 200]);
  const { error } = results[4] ?? {};
  expect(error).toMatchObject({ code: 'rate_limit_exceeded', violated_policies: ['session'] });
  expect(error?.retry_after_seconds).toBeGreaterThan(0);
  expect((await service.ingest({ session_id: 'busy', heart_rate: 80 })).status).toBe(429);
});

test('lines of new sessions above the limit get a 429', async () => {
  const service = await startTestService({ env: { ...ample, LIMIT_NEW_SESSIONS_PER_MINUTE: '2' } });
  const results = await batchResults(
    service,
    linesOf(service, 8, (index) => `new${Math.floor(index / 2)}`),
  );
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  expect(results[4]?.error?.violated_policies).toEqual(['new-sessions']);
});

/** Lines of the past, one per minute, oldest first. */
const pastLinesOf = (service: TestService, count: number, sessionOf: (index: number) => string) =>
  linesOf(service, count, sessionOf).map((line, index) => {
    return { ...line, timestamp: service.clock.at(60 * (index - count)), backfill: true };
  });

test('backfilled lines count as calls of the month, and neither as requests of their session nor as new sessions', async () => {
  const limited = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2', LIMIT_NEW_SESSIONS_PER_MINUTE: '1' };
  const service = await startTestService({ env: { ...ample, ...limited } });
  const past = pastLinesOf(service, 12, (index) => (index < 6 ? 'busy' : `day${index}`));
  expect((await batchResults(service, past)).map(({ status }) => status)).toEqual(past.map(() => 200));
  expect((await service.post('/v1/ingest', { ...past[0], heart_rate: 81 })).status).toBe(200);
  await expect.poll(() => callsInDatabase(service, service.accountId)).toBe(13);
  // Both limits are still unused: a new session, then two requests of the backfilled session.
  const live = linesOf(service, 3, () => 'busy');
  expect((await batchResults(service, live)).map(({ status }) => status)).toEqual([200, 200, 429]);
});

test('the first live reading of a backfilled session counts as a new session, also in the batch of the backfill', async () => {
  const service = await startTestService({ env: { ...ample, LIMIT_NEW_SESSIONS_PER_MINUTE: '1' } });
  await batchResults(
    service,
    pastLinesOf(service, 4, (index) => `s${index}`),
  );
  const lines = [
    ...pastLinesOf(service, 1, () => 's4'),
    ...linesOf(service, 4, (index) => `s${[0, 1, 4, 0][index]}`),
    ...pastLinesOf(service, 1, () => 's1'),
  ];
  const results = await batchResults(service, lines);
  expect(results.map(({ status }) => status)).toEqual([200, 200, 429, 429, 200, 200]);
  expect(results[2]?.error?.violated_policies).toEqual(['new-sessions']);
  // The rejected live reading left the backfilled session unchanged.
  const { body } = await service.request('/v1/state?session_id=s1');
  expect(body.timestamp).toBe(lines.at(-1)?.timestamp);
});

test('a session with live readings accepts further readings after a restart without counting as new', async () => {
  const env = { ...ample, LIMIT_NEW_SESSIONS_PER_MINUTE: '1' };
  const first = await startTestService({ env });
  await batchResults(first, [...linesOf(first, 1, () => 's'), ...pastLinesOf(first, 1, () => 's')]);
  const { url, clock } = await startTestService({ env, database: first.database });
  const lines = [...linesOf(first, 2, () => 's'), ...linesOf(first, 1, () => 'new')];
  const results = await batchResults(client(url, first.key, clock), lines);
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test("backfilled lines above the month's quota get a 429", async () => {
  const service = await startTestService({ env: { LIMIT_MONTHLY_CALLS: '3' } });
  const { key } = await makeAccount(service, 'month-of-backfill', 'free');
  const metered = client(service.url, key, service.clock);
  const { body } = await postBatch(
    metered,
    pastLinesOf(service, 5, () => 's'),
  );
  expect(body.results.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
});

test('each line that no limit rejected counts as a call of the month', async () => {
  const service = await startTestService({ env: { ...ample, LIMIT_SESSION_REQUESTS_PER_MINUTE: '3' } });
  const lines = [...linesOf(service, 5, () => 's'), 'invalid', ...linesOf(service, 1, () => 't')];
  expect((await batchResults(service, lines)).map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 400, 200]);
  await expect.poll(() => callsInDatabase(service, service.accountId)).toBe(5);
});

test("lines above the month's quota get a 429, and further requests get a 429 as a whole", async () => {
  const service = await startTestService({ env: { LIMIT_MONTHLY_CALLS: '3' } });
  const { key } = await makeAccount(service, 'month-of-batches', 'free');
  const metered = client(service.url, key, service.clock);
  const first = await postBatch(
    metered,
    linesOf(service, 5, () => 's'),
  );
  expect(first.body.results.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(first.body.results[3]?.error?.violated_policies).toEqual(['month']);
  expect(first.headers.get('RateLimit')).toMatch(/^"month";r=0;/);
  const next = await postBatch(
    metered,
    linesOf(service, 2, () => 's'),
  );
  expect(next).toMatchObject({ status: 429, body: { violated_policies: ['month'] } });
});

test('rejected lines appear in the metric of rejected requests', async () => {
  const service = await startTestService({
    env: { ...ample, LIMIT_SESSION_REQUESTS_PER_MINUTE: '1', METRICS_PORT: '0' },
  });
  await batchResults(
    service,
    linesOf(service, 3, () => 's'),
  );
  const metrics = await (await fetch(service.metricsUrl ?? '')).text();
  expect(metrics).toMatch(/policy="session"\} 2\n/);
});

test('a reading is not queued behind the large batch of another account', async ({ service }) => {
  const { accountId: other } = await makeAccount(service, `other-${service.accountId}`, 'enterprise');
  const groups: string[][] = [];
  const onCommitted = (group: readonly PreparedReading[]) => void groups.push(group.map(({ accountId }) => accountId));
  const admitSession = async () => undefined;
  const { commit, close } = createReadingWriter({ ...erasing(service), admitSession, onEvents() {}, onCommitted });
  onTestFinished(close);
  const send = (accountId: string, count: number) => {
    const reading = (index: number) => ({
      ...{ accountId, sessionId: 's', digest: String(index), timestampMs: service.clock.nowMs + index },
      signals: { heart_rate: 70 },
    });
    return commit(
      grantOf(accountId),
      Array.from({ length: count }, (_, it) => reading(it)),
    );
  };
  await Promise.all([send(service.accountId, 400), send(other, 1)]);
  expect(groups.length).toBeGreaterThan(1);
  expect(groups[0]).toContain(other);
});

test('a session with many short readings of intervals is stored', async ({ service }) => {
  // JSON writes two characters for each quote of the label.
  const lines = Array.from({ length: 400 }, (_, index) => ({
    ...{ session_id: 's1', rr_intervals_ms: [700], source_device: '"'.repeat(64) },
    timestamp: service.clock.at(0.7 * (index - 400)),
  }));
  const results = await batchResults(service, lines);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
});
