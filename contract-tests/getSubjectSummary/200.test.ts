import { expect, test } from 'vitest';
import type { Schema } from '../../src/contract/contract.js';
import { createHourWriter } from '../../src/store/subject-hours.js';
import { batchResults } from '../../testkit/batch.js';
import { Clock, startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

/** Starts a service at a time, e.g. 2026-03-10T12:00:00Z. */
async function startAt(time: string, env: Record<string, string> = {}): Promise<TestService> {
  const clock = new Clock();
  clock.nowMs = Date.parse(time);
  return startTestService({ clock, env });
}

/** Stores backfilled readings of subject p: [time, heart rate], each with an optional session. */
async function backfill(service: TestService, readings: ReadonlyArray<[string, number, string?]>): Promise<void> {
  const lines = readings.map(([timestamp, heart_rate, session_id = 's1']) => ({
    ...{ session_id, subject_id: 'p', timestamp, heart_rate, backfill: true },
  }));
  for (const { status } of await batchResults(service, lines)) expect(status).toBe(200);
}

const summaryOf = ({ get }: TestService, query = ''): Promise<Schema<'SubjectSummary'>> =>
  get(`/v1/subjects/p/summary${query}`);

/** Returns the seconds of all states. */
function secondsOf({ state_seconds }: Schema<'SummaryRow'>): number {
  return Object.values(state_seconds).reduce((sum, seconds) => sum + seconds, 0);
}

test('a state counts until the next reading, at most 300 seconds, in each hour that it lasts', async () => {
  const service = await startAt('2026-03-10T12:00:00Z');
  await backfill(service, [
    ['2026-03-10T08:00:00.000Z', 60],
    ['2026-03-10T08:00:10.500Z', 64],
    ['2026-03-10T08:59:00.000Z', 68],
  ]);
  const { from, to, rows, next_cursor } = await summaryOf(service);
  expect([from, to, next_cursor]).toEqual(['2026-03-03T12:00:00.000Z', '2026-03-10T13:00:00.000Z', null]);
  expect(rows).toMatchObject([
    { start: '2026-03-10T08:00:00.000Z', readings: 3, heart_rate: { mean: 64, min: 60, max: 68 }, topics: [] },
    { start: '2026-03-10T09:00:00.000Z', readings: 0, topics: [] },
  ]);
  expect(rows.map(secondsOf)).toEqual([10.5 + 300 + 60, 240]);
  expect(rows[1]).not.toHaveProperty('stress_score');
  expect(rows[0]).not.toHaveProperty('date');
});

test('where sessions overlap, the newest reading counts', async () => {
  const service = await startAt('2026-03-10T12:00:00Z');
  const { read, clock } = service;
  const calm = await read({ session_id: 'phone', subject_id: 'p', heart_rate: 55 });
  clock.advance(20);
  const tense = await read({ session_id: 'call', subject_id: 'p', heart_rate: 150, tone: 'hostile' });
  clock.advance(30);
  await read({ session_id: 'phone', subject_id: 'p', heart_rate: 55 });
  clock.advance(5);
  expect(tense.state).not.toBe(calm.state);
  const [row] = (await summaryOf(service)).rows;
  expect(row?.state_seconds).toMatchObject({ [calm.state]: 25, [tense.state]: 30 });
  expect(row?.stress_score).toMatchObject({ min: calm.stress_score, max: tense.stress_score });
});

test('topics of the readings are listed once', async () => {
  const service = await startAt('2026-03-10T12:00:00Z');
  const turn = { user_message: 'I am scared of my exam tomorrow', ai_response: 'That sounds hard.' };
  const { topics_detected } = await service.read({ subject_id: 'p', heart_rate: 90, ...turn });
  await service.read({ subject_id: 'p', heart_rate: 91, timestamp: service.clock.at(1), ...turn });
  expect(topics_detected.length).toBeGreaterThan(0);
  expect((await summaryOf(service)).rows[0]?.topics).toEqual([...topics_detected].sort());
});

test.each([
  [23, '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  [25, '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
])('a day with a change of the clock has %i hours', async (hours, date, start, end) => {
  const service = await startAt(end, { RETENTION_READINGS_HOURS: '48' });
  const startMs = Date.parse(start);
  const times = Array.from({ length: hours }, (_, hour) => new Date(startMs + hour * 3_600_000).toISOString());
  await backfill(
    service,
    times.map((time) => [time, 60] as [string, number]),
  );
  const query = `?interval=day&time_zone=Europe/Vienna&from=${start}&to=${end}`;
  const summary = await summaryOf(service, query);
  expect(summary).toMatchObject({ from: start, to: end, time_zone: 'Europe/Vienna', next_cursor: null });
  expect(summary.rows).toMatchObject([{ start, date, readings: hours }]);
});

test('a day in a time zone with half hours consists of the UTC hours that begin on its date', async () => {
  const service = await startAt('2026-03-10T20:00:00Z');
  await backfill(service, [
    ['2026-03-09T20:30:00.000Z', 60],
    ['2026-03-10T18:45:00.000Z', 70],
    ['2026-03-10T19:00:00.000Z', 80],
  ]);
  const { rows } = await summaryOf(service, '?interval=day&time_zone=Asia/Kolkata');
  expect(rows).toMatchObject([
    { date: '2026-03-10', start: '2026-03-09T19:00:00.000Z', heart_rate: { mean: 65 } },
    { date: '2026-03-11', start: '2026-03-10T19:00:00.000Z', heart_rate: { mean: 80 } },
  ]);
  const midnight = '2026-03-10T18:30:00Z';
  const first = await summaryOf(service, `?interval=day&time_zone=Asia/Kolkata&from=${midnight}`);
  expect(first.rows.map(({ date }) => date)).toEqual(['2026-03-11']);
});

test('more than 1,000 hours come in pages that contain each hour once', async () => {
  const service = await startAt('2026-03-10T12:00:00Z');
  const { store, accountId, clock } = service;
  await service.read({ subject_id: 'p', heart_rate: 60 });
  const scores = { count: 1, sum: 20, min: 20, max: 20 };
  const stateMs = { calm: 1000, relaxed: 0, focused: 0, stressed: 0, acute_stress: 0 };
  const hours = Array.from({ length: 1_500 }, (_, index) => ({
    ...{ startMs: clock.nowMs - (1_500 - index) * 3_600_000, stateMs, scores, heartRates: undefined, topics: [] },
  }));
  await store.transact((scopeOf) => createHourWriter(scopeOf(accountId)).add('p', hours, []));
  const range = '?from=2020-01-01T00:00:00Z';
  const first = await summaryOf(service, range);
  expect(first.rows).toHaveLength(1_000);
  const second = await summaryOf(service, `${range}&cursor=${first.next_cursor}`);
  expect([second.from, second.to, second.next_cursor]).toEqual([first.from, first.to, null]);
  const starts = [...first.rows, ...second.rows].map(({ start }) => Date.parse(start));
  expect(starts).toEqual([...hours.map(({ startMs }) => startMs), clock.nowMs]);
  const { rows } = await summaryOf(service, `${range}&interval=day`);
  expect(rows.reduce((sum, { readings }) => sum + readings, 0)).toBe(1_501);
});

test('a backfilled week appears in the summary like live data', async () => {
  const service = await startAt('2026-03-10T12:00:00Z', { RETENTION_READINGS_HOURS: '192' });
  const days = Array.from(
    { length: 7 },
    (_, day) => [`2026-03-0${day + 3}T12:30:00.000Z`, 60 + day, `d${day}`] as [string, number, string],
  );
  await backfill(service, days);
  const { rows } = await summaryOf(service, '?interval=day');
  expect(rows.map(({ date, readings, heart_rate }) => [date, readings, heart_rate?.mean])).toEqual(
    days.map(([time, rate]) => [time.slice(0, 10), 1, rate]),
  );
});

test('a day of a person that was raised as a whole is marked, in the days of a time zone and not in hours', async () => {
  const service = await startAt('2026-03-10T12:00:00Z');
  await service.read({ subject_id: 'p', heart_rate: 70 });
  await backfill(service, [['2026-03-09T23:30:00.000Z', 64]]);
  const knex = openKnex(service.database.url);
  const { body } = await knex('subjects').where({ subject_id: 'p' }).first();
  const subject = JSON.parse(body);
  const hour = Date.parse('2026-03-09T23:00:00Z') / 3_600_000;
  const course = { ...subject.baseline.course, raisedHours: [hour] };
  await knex('subjects').update({ body: JSON.stringify({ ...subject, baseline: { ...subject.baseline, course } }) });
  const marked = async (query: string) =>
    (await summaryOf(service, query)).rows.map(({ date, raised_day }) => [date, raised_day]);
  expect(await marked('?interval=day')).toEqual([
    ['2026-03-09', true],
    ['2026-03-10', undefined],
  ]);
  expect(await marked('?interval=day&time_zone=Europe/Berlin')).toEqual([['2026-03-10', true]]);
  expect((await marked('')).flat()).not.toContain(true);
});
