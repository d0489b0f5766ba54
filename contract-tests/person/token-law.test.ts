import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Submission } from '../../src/contract/contract.js';
import { definitions } from '../../src/contract/definitions.js';
import { openStream } from '../../testkit/event-source.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

/** The property runs against a service, so it has few cases. Each checks every operation that accepts a token. */
const cases = { numRuns: 8, endOnFailure: true };
const own = 'own-session';
const person = { subject_id: 'anna' };

/** A reading of one of three sessions, the seconds after the one before it, and its signals. */
const arriving = fc.array(
  fc.record({
    session: fc.constantFrom(own, 'secret-watch', 'secret-call'),
    seconds: fc.integer({ min: 1, max: 40 }),
    heart_rate: fc.option(fc.integer({ min: 55, max: 160 }), { nil: undefined }),
    tone: fc.constantFrom('calm', 'hostile', undefined),
    sentiment: fc.constantFrom(-0.9, 0.7, undefined),
    activity_level: fc.constantFrom('resting', 'vigorous', undefined),
  }),
  { minLength: 4, maxLength: 9 },
);
type Arriving = typeof arriving extends fc.Arbitrary<infer T> ? T : never;

/** Returns the readings with values that occur nowhere else: a fraction that names the reading, and a device label. */
function toReadings(all: Arriving, startMs: number): Submission[] {
  let atMs = startMs;
  const readings = all.map(({ session, seconds, heart_rate, ...signals }, index) => {
    atMs += seconds * 1000 + 137 + index;
    const rate = heart_rate === undefined ? {} : { heart_rate: Number(`${heart_rate}.${4_321 + index}`) };
    const device = session === own ? {} : { source_device: `device-${session}-${index}` };
    const content = Object.fromEntries(Object.entries(signals).filter(([, value]) => value !== undefined));
    return {
      session_id: session,
      ...person,
      timestamp: new Date(atMs).toISOString(),
      urgency: 'low',
      ...rate,
      ...device,
      ...content,
    };
  });
  return readings as Submission[];
}

/** Sends readings. Those of its own session are sent with the token, if there is one. Returns its responses as text. */
async function send(service: TestService, readings: readonly Submission[], token?: Record<string, string>) {
  const seen = [];
  for (const reading of readings) {
    const nowMs = Date.parse(reading.timestamp);
    service.clock.advance(Math.max(0, nowMs - service.clock.nowMs) / 1000);
    const headers = reading.session_id === own && token ? token : {};
    const { status, body } = await service.post('/v1/ingest', reading, headers);
    expect([status, body.detail]).toEqual([200, undefined]);
    if (reading.session_id === own) seen.push(body);
  }
  return seen;
}

/** Every read of the operations that accept a token, by operation. */
const reads: Readonly<Record<string, (named: string) => string>> = {
  getState: (named) => `/v1/state?${named}`,
  getHistory: (named) => `/v1/history?minutes=60&${named}`,
  exportReadings: (named) => `/v1/export?${named}`,
  streamEvents: (named) => `/v1/stream?${named}`,
};
/** Operations that accept a token and read nothing, or whose responses `send` and `report` collect. */
const writes = ['ingest', 'ingestBatch', 'submitFeedback'];

async function readAll(service: TestService, named: string, token: Record<string, string>): Promise<string> {
  const texts = await Promise.all(
    ['getState', 'getHistory', 'exportReadings'].map(async (operation) => {
      const response = await fetch(service.url + reads[operation]?.(named), { headers: token });
      expect([operation, response.status]).toEqual([operation, 200]);
      return response.text();
    }),
  );
  const csv = await fetch(`${service.url}/v1/export?format=csv&${named}`, { headers: token });
  const stream = await openStream(
    service,
    { ...Object.fromEntries(new URLSearchParams(named)), last_event_id: '0' },
    token,
  );
  await stream.until(1);
  const report = { ...Object.fromEntries(new URLSearchParams(named)), timestamp: service.clock.at(), stress: 5 };
  const feedback = await service.post('/v1/feedback', report, token);
  expect(feedback.status).toBe(200);
  const text = [...texts, await csv.text(), stream.text(), JSON.stringify(feedback.body)].join('\n');
  await stream.close();
  return text;
}

/** Returns what no token may get from the other sessions: ids, raw values, device labels and times. */
function listSecrets(readings: readonly Submission[]): string[] {
  const others = readings.filter(({ session_id }) => session_id !== own);
  return [
    'secret-',
    ...others.flatMap(({ heart_rate, source_device, timestamp }) => [
      ...(heart_rate === undefined ? [] : [String(heart_rate)]),
      ...(source_device === undefined ? [] : [source_device]),
      timestamp,
    ]),
  ];
}

test('the property reads with every operation that accepts a token', () => {
  const accepting = definitions.filter(({ acceptsToken }) => acceptsToken);
  expect(accepting.map(({ operationId }) => operationId).sort()).toEqual([...Object.keys(reads), ...writes].sort());
});

test.each([
  ['without a person', {}],
  ['with the person', person],
])('a token %s gets no id, value, label or time of another session', async (_, signed) => {
  await fc.assert(
    fc.asyncProperty(arriving, async (all) => {
      const service = await startTestService();
      const readings = toReadings([{ ...(all[0] as Arriving[number]), session: own }, ...all], service.clock.nowMs);
      const scopes = ['ingest', 'read', 'feedback'] as const;
      await service.read({ ...person, session_id: own, timestamp: service.clock.at(), tone: 'calm' });
      const token = bearer(await issueToken(service, { session_id: own, scopes: [...scopes], ...signed }));
      const answers = JSON.stringify(await send(service, readings, token));
      // The report has another time than the readings.
      service.clock.advance(1);
      const text = answers + (await readAll(service, `session_id=${own}`, token));
      for (const secret of listSecrets(readings)) expect(text).not.toContain(secret);
      if (!('subject_id' in signed)) return;
      expect(await readAll(service, 'subject_id=anna', token)).not.toContain('"secret-');
      const { body } = await service.request('/v1/history?minutes=60&subject_id=anna', { headers: token });
      const sessions = [own, ...readings.map(({ session_id }) => (session_id === own ? own : undefined))];
      expect(body.datapoints.map((it: { session_id?: string }) => it.session_id)).toEqual(sessions);
      const state = await service.request('/v1/state?subject_id=anna', { headers: token });
      expect(state.body).toMatchObject({ session_id: own, timestamp: readings.at(-1)?.timestamp });
    }),
    cases,
  );
});
