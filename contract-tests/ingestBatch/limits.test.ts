import { expect, onTestFinished, test } from 'vitest';
import { createGroups } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/intake.js';
import { callsInDatabase, makeAccount } from '../support/calls.js';
import { batchResults, postBatch } from '../support/batch.js';
import { erasing } from '../support/stored.js';
import { ample, client, startTestService, type TestService } from '../support/service.js';

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

test('a reading is not queued behind the large batch of another account', async () => {
  const service = await startTestService();
  const { accountId: other } = await makeAccount(service, `other-${service.accountId}`, 'enterprise');
  const groups: string[][] = [];
  const onCommitted = (group: readonly PreparedReading[]) => void groups.push(group.map(({ accountId }) => accountId));
  const admitSession = async () => undefined;
  const { commit, close } = createGroups({ ...erasing(service), admitSession, onEvents() {}, onCommitted });
  onTestFinished(close);
  const send = (accountId: string, count: number) => {
    const reading = (index: number) => ({
      ...{ accountId, sessionId: 's', digest: String(index), timestampMs: service.clock.nowMs + index },
      signals: { heart_rate: 70 },
    });
    return commit(
      { accountId, keyId: 'key_1', tier: 'solo' },
      Array.from({ length: count }, (_, it) => reading(it)),
    );
  };
  await Promise.all([send(service.accountId, 400), send(other, 1)]);
  expect(groups.length).toBeGreaterThan(1);
  expect(groups[0]).toContain(other);
});

test('a session with many short readings of intervals is stored', async () => {
  const service = await startTestService();
  // JSON writes two characters for each quote of the label.
  const lines = Array.from({ length: 400 }, (_, index) => ({
    ...{ session_id: 's1', rr_intervals_ms: [700], source_device: '"'.repeat(64) },
    timestamp: service.clock.at(0.7 * (index - 400)),
  }));
  const results = await batchResults(service, lines);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
});
