import { history } from '../../generated/spec.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';

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

test('the trend is falling, rising or stable', async ({ service: { read, request, clock } }) => {
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
  const knex = openKnex(database.url);
  const stored = await knex('session_readings').first();
  const copies = Array.from({ length: history.datapoints_max }, (_, index) => ({
    ...stored,
    timestamp_ms: Number(stored.timestamp_ms) + index + 1,
    position: Number(stored.position) + 2 * (index + 1),
  }));
  await knex.batchInsert('session_readings', copies, 500);
  clock.advance(60);
  const { datapoints } = (await request('/v1/history?session_id=s1')).body;
  const timestamps = datapoints.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp));
  expect(timestamps).toEqual(copies.map((it) => it.timestamp_ms));
});

test('with until, the window ends at that time and contains late readings', async () => {
  const { read, request, clock } = await startTestService();
  const startMs = clock.nowMs;
  const send = (seconds: number, heart_rate: number) =>
    read({ timestamp: new Date(startMs + seconds * 1000).toISOString(), heart_rate });
  await send(0, 60);
  await send(60, 61);
  clock.advance(250);
  await send(30, 62);
  await send(240, 63);
  clock.advance(7_200);
  await send(7_450, 64);
  const ratesOf = async (until: number, minutes: number) => {
    const at = new Date(startMs + until * 1000).toISOString();
    const { body } = await request(`/v1/history?session_id=s1&minutes=${minutes}&until=${at}`);
    return body.datapoints.map((it: { heart_rate: number }) => it.heart_rate);
  };
  expect(await ratesOf(60, 5)).toEqual([60, 62, 61]);
  expect(await ratesOf(60, 1)).toEqual([62, 61]);
  expect(await ratesOf(59.999, 1)).toEqual([60, 62]);
  expect(await ratesOf(240, 60)).toEqual([60, 62, 61, 63]);
  expect((await request('/v1/history?session_id=s1&until=9999-12-31T23:59:59Z')).body.datapoints).toEqual([]);
  expect((await request('/v1/history?session_id=s1&minutes=60')).body.datapoints).toHaveLength(1);
});

test('a datapoint contains each signal of its reading except intervals, and the topics of its turn', async () => {
  const { read, request, clock } = await startTestService();
  const values = {
    ...harsh,
    sdnn: 31,
    rmssd: 28,
    expression: 'tense',
    urgency: 'high',
    activity_level: 'resting',
    steps_last_minute: 0,
    respiratory_rate: 14,
    skin_temperature: 33,
    eda: 2,
    source_device: 'strap',
  } as const;
  const turn = { user_message: 'I am worried that I will lose my job.', ai_response: 'What worries you most?' };
  const { topics_detected } = await read({ subject_id: 'talker', ...values, ...turn });
  await read({ timestamp: clock.at(50), heart_rate: 90 });
  const { body } = await request('/v1/history?session_id=s1');
  const {
    timestamp: _,
    state: __,
    stress_score: ___,
    confidence: ____,
    model_version: _____,
    ...rest
  } = body.datapoints[0];
  expect(rest).toEqual({ ...values, topics_detected });
  expect(topics_detected).toEqual(['job_loss']);
  expect(body.datapoints[1]).not.toHaveProperty('topics_detected');
});
