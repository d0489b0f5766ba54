import { expect, test } from 'vitest';
import { computeHours } from '../../src/retention/hours.js';
import { beginTimeline, floorHour, hourMs } from '../../packages/score/summary.js';
import { findPublished } from '../../src/store/published-score.js';
import { toAccountKey } from '../../src/store/readings.js';
import { selectRows, type Statement } from '../../src/store/rows.js';
import { pageRows } from '../../src/store/scan.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

/** Stores backfilled readings of subject p, with these times after `fromMs`, ms. The scores differ. */
async function addBackfilled(
  { database, accountId, clock, read }: TestService,
  times: readonly number[],
  fromMs: number,
) {
  await read({
    session_id: 's',
    subject_id: 'p',
    heart_rate: 60,
    timestamp: new Date(fromMs).toISOString(),
    backfill: true,
  });
  const knex = openKnex(database.url);
  const account = toAccountKey(accountId);
  const first = await knex('session_readings').where({ account }).first();
  const rows = times.map((ms, index) => ({
    ...first,
    position: first.position - 2 * (index + 1),
    timestamp_ms: fromMs + ms,
    // A number that spreads over all digests.
    digest: ((index * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0').padEnd(12, '0'),
    stress_score: (index * 37) % 101,
  }));
  await knex.batchInsert('session_readings', rows, 200);
  const late = rows.map(({ position, incarnation, timestamp_ms, digest }) => ({
    account,
    position,
    incarnation,
    timestamp_ms,
    digest,
  }));
  await knex.batchInsert('late_readings', late, 200);
  clock.advance(1);
  return knex;
}

test.each([
  ['in one minute', Array.from({ length: 9_000 }, (_, index) => (index * 7_919) % 60_000)],
  ['with one timestamp', Array.from({ length: 9_000 }, () => 5_000)],
  ['in one minute, half of them with one timestamp', Array.from({ length: 9_000 }, (_, index) => (index % 2) * index)],
])('a summary of 9,000 readings %s reads bounded pages, and is that of all readings at once', async (_, times) => {
  const service = await startTestService({});
  const fromMs = floorHour(service.clock.nowMs) - 3 * hourMs;
  const knex = await addBackfilled(service, times, fromMs);
  const scope = service.store.read(service.accountId);
  const sizes: number[] = [];
  const onRead = (page: readonly unknown[]) => void sizes.push(page.length);
  const span = { fromMs, toMs: fromMs + 3 * hourMs };
  const request = { subjectId: 'p', ...span, nowMs: service.clock.nowMs, onRead };
  const computed = await computeHours(scope, request);
  expect(sizes.length).toBeGreaterThan(times.length / pageRows);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(pageRows);
  const timeline = beginTimeline(span.fromMs, span.toMs);
  const columns = { timestampMs: 'timestamp_ms', score: 'stress_score' };
  const stored: Array<{ timestampMs: number; score: number }> = await knex('session_readings').select(columns);
  const all = stored.map((it) => ({ ...it, heartRate: 60, topics: [] }));
  expect(all).toHaveLength(times.length + 1);
  timeline.add(all);
  expect(computed.hours).toEqual(timeline.finish(service.clock.nowMs));
});

test('the score of a moment is that of the newest of 9,000 readings of its minute, and no query sorts them', async () => {
  const service = await startTestService({});
  const { accountId } = service;
  const fromMs = floorHour(service.clock.nowMs) - hourMs;
  const untilMs = fromMs + 30_000;
  const times = Array.from({ length: 9_000 }, (_, index) => 1 + ((index * 7_919) % 59_999));
  const knex = await addBackfilled(service, times, fromMs);
  const statements: Statement[] = [];
  const record = (statement: Statement) => void statements.push(statement);
  knex.on('query', record);
  const time = { afterMs: untilMs - 300_000, untilMs, isMoment: true };
  const published = await findPublished(knex, accountId, { kind: 'person', subjectId: 'p' }, time);
  knex.removeListener('query', record);
  const newest = await knex('session_readings')
    .where({ account: toAccountKey(accountId) })
    .where('timestamp_ms', '<=', untilMs)
    .orderByRaw('timestamp_ms desc, position desc')
    .first();
  expect(published).toMatchObject({ score: newest.stress_score, readings: 1 });
  const sorted = statements.filter(({ sql }) => sql.includes('order by atMs desc'));
  expect(sorted).toHaveLength(1);
  for (const { sql, bindings } of sorted) {
    const rows = await selectRows(knex, { sql: sql.replace(/order by atMs desc[^]*$/, ''), bindings });
    expect(rows).toHaveLength(1);
  }
});
