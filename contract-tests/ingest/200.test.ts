import contract from '../../generated/openapi.json' with { type: 'json' };
import { enums, signals } from '../../generated/spec.js';
import { type Reference, resolve } from '../../testkit/reference.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

interface Example {
  readonly example?: unknown;
}

test('a reading with every signal returns the state in the documented shape', async ({ service: { read, clock } }) => {
  const reading = await read({ heart_rate: 96, sdnn: 28, tone: 'tense', expression: 'frowning', sentiment: -0.4 });
  expect(reading).toMatchObject({
    hsp_version: '1.0',
    session_id: 's1',
    timestamp: clock.at(),
    signals_received: ['cardiovascular', 'vocal', 'visual', 'textual'],
    topics_detected: [],
  });
  expect(reading.stress_score).toBeGreaterThanOrEqual(60);
  expect(reading.action_reason).toMatch(/^Heart rate \d+ bpm above .*tense voice/);
  expect(reading).not.toHaveProperty('adaptation_effectiveness');
});

test.each([
  ['heart_rate', { heart_rate: 30 }, { heart_rate: 220 }],
  ['sdnn', { sdnn: 500 }, { sdnn: 1 }],
  ['tone', { tone: 'calm' }, { tone: 'hostile' }],
  ['expression', { expression: 'relaxed' }, { expression: 'tense' }],
  ['sentiment', { sentiment: 1 }, { sentiment: -1 }],
] as const)('a reading with only %s at either bound is accepted and changes the score', async (_name, calm, harsh) => {
  const { read } = await startTestService();
  const low = await read({ session_id: 'low', ...calm });
  const high = await read({ session_id: 'high', ...harsh });
  expect(high.stress_score).toBeGreaterThan(low.stress_score);
});

test('from the second reading on, the response contains the change of the score', async () => {
  const { read, clock } = await startTestService();
  const first = await read({ heart_rate: 110, tone: 'hostile', sentiment: -0.8 });
  clock.advance(2);
  const second = await read({ heart_rate: 62, tone: 'calm', sentiment: 0.6 });
  expect(second.adaptation_effectiveness).toEqual({
    previous_action: first.suggested_action,
    previous_score: first.stress_score,
    current_score: second.stress_score,
    stress_delta: second.stress_score - first.stress_score,
    effective: true,
  });
});

test('a rise of the score within calm and relaxed is effective, a rise to a higher state is not', async () => {
  const { read, clock } = await startTestService();
  await read({ heart_rate: 58, tone: 'calm', sentiment: 0.8 });
  clock.advance(2);
  const still = await read({ heart_rate: 66, tone: 'calm', sentiment: 0.4 });
  expect(still.adaptation_effectiveness).toMatchObject({ effective: true });
  expect(still.adaptation_effectiveness?.stress_delta).toBeGreaterThan(0);
  clock.advance(2);
  const risen = await read({ heart_rate: 120, tone: 'hostile', sentiment: -0.8 });
  expect(risen.adaptation_effectiveness).toMatchObject({ effective: false });
});

test('a sentiment from ten seconds ago is fused with a current heart rate', async ({ service: { read, clock } }) => {
  await read({ session_id: 'both', sentiment: -0.9 });
  clock.advance(10);
  const both = await read({ session_id: 'both', heart_rate: 90 });
  const alone = await read({ session_id: 'alone', heart_rate: 90 });
  expect(both.stress_score).toBeGreaterThan(alone.stress_score);
  expect(both.signals_received).toEqual(['cardiovascular']);
});

test('resending an identical body returns the identical response and changes nothing', async () => {
  const { ingest, request, clock } = await startTestService();
  const body = { heart_rate: 88, sentiment: -0.2, timestamp: clock.at() };
  const first = await ingest(body);
  clock.advance(5);
  await ingest({ heart_rate: 60 });
  const again = await ingest(body);
  expect(again.body).toEqual(first.body);
  const history = await request('/v1/history?session_id=s1');
  expect(history.body.datapoints).toHaveLength(2);
});

test('field order does not matter, and two equal concurrent bodies count as one reading', async () => {
  const { request, ingest, clock } = await startTestService();
  const timestamp = clock.at();
  const answers = await Promise.all([
    ingest({ timestamp, heart_rate: 88, tone: 'tense' }),
    ingest({ tone: 'tense', heart_rate: 88, timestamp }),
  ]);
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  const history = await request('/v1/history?session_id=s1');
  expect(history.body.datapoints).toHaveLength(1);
});

test('two different bodies with one timestamp are two readings, and their order of arrival does not matter', async () => {
  const { read, request, clock } = await startTestService();
  const timestamp = clock.at();
  const ab = [{ heart_rate: 120 }, { heart_rate: 70, sentiment: -0.9 }, { tone: 'hostile' }] as const;
  for (const signals of ab) await read({ session_id: 'ab', timestamp, ...signals });
  for (const signals of [...ab].reverse()) await read({ session_id: 'ba', timestamp, ...signals });
  const [one, other] = [await request('/v1/state?session_id=ab'), await request('/v1/state?session_id=ba')];
  expect(other.body.stress_score).toBe(one.body.stress_score);
  expect((await request('/v1/history?session_id=ab')).body.datapoints).toHaveLength(3);
});

test('a late reading updates the signals for which it contains the newest value', async () => {
  const { read, request, clock } = await startTestService();
  const before = await read({ heart_rate: 90 });
  const late = await read({ sentiment: -0.9, timestamp: clock.at(-20) });
  expect(late.stress_score).toBeGreaterThan(before.stress_score);
  expect(late.timestamp).toBe(before.timestamp);
  expect((await request('/v1/state?session_id=s1')).body.stress_score).toBe(late.stress_score);
});

test('a late reading with no newest signal is added to the history and does not change the state', async () => {
  const { read, request, clock } = await startTestService();
  const before = await read({ heart_rate: 60, tone: 'calm' });
  const late = await read({ heart_rate: 180, timestamp: clock.at(-20) });
  expect(late.stress_score).toBe(before.stress_score);
  expect((await request('/v1/state?session_id=s1')).body).toMatchObject(before);
  const { datapoints } = (await request('/v1/history?session_id=s1')).body;
  expect(datapoints.map((it: { heart_rate: number }) => it.heart_rate)).toEqual([180, 60]);
  expect(datapoints[0].stress_score).toBeGreaterThan(before.stress_score);
});

test('the first subject binds the session and later readings inherit it', async () => {
  const { read, ingest, clock } = await startTestService();
  await read({ heart_rate: 70 });
  clock.advance(1);
  await read({ heart_rate: 70, subject_id: 'anna' });
  clock.advance(1);
  await read({ heart_rate: 70 });
  const refused = await ingest({ heart_rate: 70, subject_id: 'bert' });
  expect(refused.body).toMatchObject({ code: 'subject_mismatch', errors: [{ pointer: '/subject_id' }] });
});

test('of concurrent readings in a new session, only the reading with a different subject fails', async () => {
  const { ingest, request, clock } = await startTestService();
  const answers = await Promise.all(
    ['anna', 'bert', 'anna'].map((subject_id, index) =>
      ingest({ subject_id, heart_rate: 70 + index, timestamp: clock.at(index) }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 200]);
  expect((await request('/v1/history?session_id=s1')).body.datapoints).toHaveLength(2);
});

test.each(['Z', '+00:00'])('a timestamp in UTC may end in %s and is stored to the millisecond', async (zone) => {
  const { read, clock } = await startTestService();
  const local = clock.at().slice(0, 19);
  const reading = await read({ heart_rate: 70, timestamp: `${local}.123456789${zone}` });
  expect(reading.timestamp).toBe(`${local}.123Z`);
});

test('ids are case-sensitive, and ids may contain any visible ASCII character', async () => {
  const { read, request } = await startTestService();
  for (const session_id of ['a', 'A', 'a:b&c=d#e/f?g%20h', '~'.repeat(256), '.a', '..!', '...', '.../', '-', '/']) {
    const sent = await read({ session_id, heart_rate: 70 });
    expect(sent).not.toHaveProperty('adaptation_effectiveness');
    const found = await request(`/v1/state?session_id=${encodeURIComponent(session_id)}`);
    expect(found.body.session_id).toBe(session_id);
  }
});

test('half a conversation turn is accepted and requires no subject', async ({ service: { read } }) => {
  expect(await read({ heart_rate: 70, user_message: 'hello \ud800 there' })).toMatchObject({ topics_detected: [] });
});

test('six hundred concurrent readings are all stored, in order of arrival per session', async () => {
  const { read, request, clock } = await startTestService();
  const readings = Array.from({ length: 600 }, (_, index) => ({
    session_id: `s${index % 6}`,
    timestamp: clock.at(-250 + index / 10),
    heart_rate: 60 + (index % 100),
  }));
  await Promise.all(readings.map(read));
  for (let session = 0; session < 6; session++) {
    const { body } = await request(`/v1/history?session_id=s${session}&minutes=5`);
    expect(body.datapoints).toHaveLength(100);
  }
});

test('urgency is textual evidence, stronger the more urgent, and sufficient as a signal', async () => {
  const { read } = await startTestService();
  const scores = [];
  for (const urgency of enums.Urgency) {
    const answer = await read({ session_id: `urgency-${urgency}`, urgency });
    expect(answer.signals_received).toEqual(['textual']);
    expect(answer.action_reason.toLowerCase()).toContain(`${urgency} urgency`);
    scores.push(answer.stress_score);
  }
  expect(scores).toEqual([...new Set(scores)].sort((a, b) => a - b));
});

test('stored-only signals and the device appear in history and export, do not change the score, and alone are no reading', async () => {
  const { read, ingest, request } = await startTestService();
  const stored = Object.entries(signals).filter(([, { use }]) => use === 'stored only');
  const properties: Record<string, Reference | Example> = contract.components.schemas.SignalSubmission.properties;
  const example = (name: string) => resolve<Example>(contract, properties[name]).example;
  const labels = {
    ...Object.fromEntries(stored.map(([name]) => [name, example(name)])),
    source_device: 'wrist watch',
  };
  expect(labels).toMatchObject({ respiratory_rate: 16, ibi_count: 74, sleep_stage: 'awake', spo2: 97 });
  const plain = await read({ session_id: 'plain', heart_rate: 95 });
  const labeled = await read({ session_id: 'labeled', heart_rate: 95, ...labels });
  expect({ ...labeled, session_id: 'plain' }).toEqual(plain);
  const { body } = await request('/v1/history?session_id=labeled');
  expect(body.datapoints).toMatchObject([{ heart_rate: 95, ...labels }]);
  const [row] = (await request('/v1/export?session_id=labeled')).body.split('\n');
  expect(JSON.parse(row).reading).toMatchObject({ heart_rate: 95, ...labels });
  const csv = (await request('/v1/export?session_id=labeled&format=csv')).body.split('\r\n');
  const cells = Object.fromEntries(
    csv[0].split(',').map((name: string, index: number) => [name, csv[1].split(',')[index]]),
  );
  for (const [name, value] of Object.entries(labels)) expect(cells[name]).toBe(String(value));
  expect(await ingest(labels)).toMatchObject({ status: 400, body: { code: 'missing_signals' } });
});

test('beat-to-beat intervals alone are a reading, and the history shows the values derived from them', async () => {
  const { read, request } = await startTestService();
  const rr_intervals_ms = Array.from({ length: 60 }, (_, index) => 800 + 20 * (index % 2));
  const reading = await read({ session_id: 'strap', rr_intervals_ms });
  expect(reading.signals_received).toEqual(['cardiovascular']);
  const { body } = await request('/v1/history?session_id=strap');
  expect(body.datapoints).toMatchObject([{ heart_rate: 74.1, sdnn: 10.1, rmssd: 20 }]);
});
