import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { createLog } from '../../src/observe/log.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createAppliedRetention, applyRetention, createConfirmedRetention } from '../../src/retention/shortened.js';
import { runHere } from '../../testkit/command-line.js';
import { startTestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';
import { startProcessWithKey, startWithKey } from '../process/started.js';

const hour = 3_600;
const retentionOf = (hours: number) =>
  readConfig({
    ...{ RETENTION_READINGS_HOURS: String(hours), RETENTION_SUMMARY_DAYS: '0', MAX_TIMESTAMP_AGE_SECONDS: '3600' },
  }).retention;

/** Starts a service with ten readings, some of them more than an hour old, and a retention of 24 hours. */
async function startWithReadings(old: number) {
  const service = await startTestService({});
  const { store, clock, read } = service;
  for (let index = 0; index < 10; index++) {
    if (index === old) clock.advance(2 * hour);
    clock.advance(1);
    await read({ heart_rate: 60 + index });
  }
  await applyRetention(store, retentionOf(24));
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  return { store, clock, lines, confirmed: createConfirmedRetention(store, retentionOf(1), log) };
}

test('a shorter retention that deletes half of all readings applies', async () => {
  const { store, clock, lines, confirmed } = await startWithReadings(5);
  expect(await confirmed(clock.nowMs)).toEqual(retentionOf(1));
  expect(await store.use(createAppliedRetention).find()).toBe(1);
  expect(lines).toEqual([]);
});

test('a shorter retention that deletes more than half of all readings waits for a confirmation', async () => {
  const { store, clock, lines, confirmed } = await startWithReadings(6);
  // The second call counts nothing and logs nothing.
  for (let call = 0; call < 2; call++) {
    const times = await confirmed(clock.nowMs);
    expect(times).toEqual({ ...retentionOf(1), readingsMs: 24 * hour * 1000, idleSessionsMs: 24 * hour * 1000 });
    expect(await purgeExpired(store, clock.nowMs, times)).toBe(0);
  }
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ stored: 10, expired: 6, earlierHours: 24, hours: 1 });
  expect(lines[0]).toContain('purge --confirm');
  await applyRetention(store, retentionOf(1));
  expect(await confirmed(clock.nowMs)).toEqual(retentionOf(1));
});

test('a retention that is longer than before applies at once', async () => {
  const { store, clock } = await startWithReadings(6);
  const log = createLog('silent', { write: () => undefined });
  const confirmed = createConfirmedRetention(store, retentionOf(48), log);
  expect(await confirmed(clock.nowMs)).toEqual(retentionOf(48));
  expect(await store.use(createAppliedRetention).find()).toBe(48);
});

test('a service whose retention was shortened keeps the readings until purge --confirm, which --dry-run predicts', async () => {
  const database = await temporaryDatabase();
  const env = { DATABASE_URL: database.url, RETENTION_SUMMARY_DAYS: '0', MAX_TIMESTAMP_AGE_SECONDS: '86400' };
  const first = await startWithKey(env);
  const nowMs = Date.now();
  for (const hoursAgo of [5, 4, 3, 0]) {
    const timestamp = new Date(nowMs - hoursAgo * hour * 1000).toISOString();
    await first.read({ session_id: `s${hoursAgo}`, timestamp, heart_rate: 70 });
  }
  await first.service.stop();
  const shorter = { ...env, RETENTION_READINGS_HOURS: '2', MAX_TIMESTAMP_AGE_SECONDS: '3600' };
  const { service, request } = await startProcessWithKey(shorter, first.key);
  await until('the warning', () => service.stderr().includes('would delete 3 of 4 readings'));
  const statuses = async () =>
    Promise.all(['s5', 's0'].map(async (id) => (await request(`/v1/state?session_id=${id}`)).status));
  expect(await statuses()).toEqual([200, 200]);
  const planned = await runHere(['purge', '--dry-run', '--json'], shorter);
  expect(JSON.parse(planned.stdout).counts).toContainEqual({ kind: 'readings', stored: 4, expired: 3 });
  const refused = await runHere(['purge'], shorter);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^error: this would delete 3 of 4 readings, because .* --confirm\n$/);
  expect(await statuses()).toEqual([200, 200]);
  const purged = await runHere(['purge', '--confirm'], shorter);
  expect(purged.stdout).toMatch(/^KIND +STORED +EXPIRED\nreadings +4 +3\n[^]*\nDeleted 3 rows\.\n$/);
  const left = await runHere(['purge', '--dry-run'], shorter);
  expect(left.stdout).toMatch(/^KIND +STORED +EXPIRED\nreadings +1 +0\n/);
});
