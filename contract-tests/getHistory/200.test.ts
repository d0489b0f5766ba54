import { expect, test } from 'vitest';
import { history } from '../../generated/spec.js';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { startTestService } from '../support/service.js';

const calm = { heart_rate: 60, tone: 'calm', sentiment: 0.8 } as const;
const harsh = { heart_rate: 115, tone: 'hostile', sentiment: -0.8 } as const;

test('datapoints are in ascending order and contain the heart rates that were sent, and the history has a summary', async () => {
  const { read, request, clock } = await startTestService();
  const scores: number[] = [];
  for (const signals of [calm, { sentiment: 0.7 }, harsh] as const) {
    scores.push((await read(signals)).stress_score);
    clock.advance(2);
  }
  const { body } = await request('/v1/history?session_id=s1');
  expect(body).toMatchObject({ session_id: 's1', minutes: 5, trend: 'rising' });
  expect(body.datapoints.map((it: { heart_rate?: number }) => it.heart_rate)).toEqual([60, undefined, 115]);
  expect(body.datapoints.map((it: { stress_score: number }) => it.stress_score)).toEqual(scores);
  const mean = Math.round((scores.reduce((sum, it) => sum + it, 0) / 3) * 10) / 10;
  expect(body.summary).toEqual({ transitions: 1, min: Math.min(...scores), max: Math.max(...scores), mean });
});

test('the trend is falling, rising or stable', async () => {
  const { read, request, clock } = await startTestService();
  const trendOf = async (session_id: string, ...readings: (typeof calm | typeof harsh)[]) => {
    for (const [index, signals] of readings.entries())
      await read({ session_id, timestamp: clock.at(index - 10), ...signals });
    return (await request(`/v1/history?session_id=${session_id}`)).body.trend;
  };
  expect(await trendOf('falls', harsh, harsh, calm, calm)).toBe('falling');
  expect(await trendOf('rises', calm, calm, harsh)).toBe('rising');
  expect(await trendOf('stays', calm, calm, calm)).toBe('stable');
  expect(await trendOf('two', calm, harsh)).toBe('stable');
});

test('the window excludes a reading at exactly now minus the minutes', async () => {
  const { read, request, clock } = await startTestService();
  await read({ heart_rate: 70 });
  clock.advance(59.999);
  expect((await request('/v1/history?session_id=s1&minutes=1')).body.datapoints).toHaveLength(1);
  clock.advance(0.001);
  expect((await request('/v1/history?session_id=s1&minutes=1')).body).toEqual({
    session_id: 's1',
    minutes: 1,
    datapoints: [],
    trend: 'stable',
    summary: { transitions: 0 },
  });
  expect((await request('/v1/history?session_id=s1&minutes=60')).body.datapoints).toHaveLength(1);
});

test('a window with more readings than the maximum returns the newest readings, oldest first', async () => {
  const { read, request, clock, database } = await startTestService({});
  await read({ heart_rate: 70 });
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  const stored = await knex('session_readings').first();
  const copies = Array.from({ length: history.datapoints_max }, (_, index) => ({
    ...stored,
    timestamp_ms: Number(stored.timestamp_ms) + index + 1,
    position: Number(stored.position) + 2 * (index + 1),
  }));
  await knex.batchInsert('session_readings', copies, 500);
  await knex.destroy();
  clock.advance(60);
  const { datapoints } = (await request('/v1/history?session_id=s1')).body;
  const timestamps = datapoints.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp));
  expect(timestamps).toEqual(copies.map((it) => it.timestamp_ms));
});
