import { bands, enums } from '../../generated/spec.js';
import { type StateReading, writeInstruction } from '../../packages/client/src/index.js';
import { resolve } from '../../packages/docs/contract.js';
import type { Schema } from '../../src/contract/contract.js';
import { createStateHeaders } from '../../packages/gateway/advisor.js';
import { operations as documented } from '../../testkit/documented-requests.js';
import { openStream } from '../../testkit/event-source.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { fromNdjson } from '../../testkit/batch.js';
import { connectAgent } from '../../testkit/mcp-tools.js';

/*
 * One law: without evidence, nothing names a state or gives an instruction, except for the required fields `state` and
 * `suggested_action` beside `evidence: none`. The same holds for words that say nothing (`evidence: weak`), whose score,
 * events and summaries count: only the comparison of scores is then shown.
 */

const who = { session_id: 's1', subject_id: 'anna' };
const turn = { user_message: 'My exam is tomorrow.', ai_response: 'Which part worries you?' };
const stressed = { heart_rate: 110, tone: 'hostile', sentiment: -0.9 } as const;

/** Readings without evidence. */
const unread: Readonly<Record<string, Record<string, unknown>>> = {
  'words that are not understood': { user_message: 'Xqzt vlorp grmbl.', derive_sentiment: true },
  'words of another language': { ...turn, user_message: 'Morgen habe ich eine Prüfung.', derive_sentiment: true },
  'a heart rate that movement explains': { heart_rate: 120, activity_level: 'vigorous', ...turn },
};

/** Readings of words that say nothing. */
const silent: Readonly<Record<string, Record<string, unknown>>> = {
  'a stated sentiment near 0': { sentiment: -0.05 },
  'a derived sentiment near 0': { user_message: 'The book is on the table.', derive_sentiment: true },
  'words beside a heart rate that movement explains': { heart_rate: 120, activity_level: 'vigorous', sentiment: 0.05 },
};
/** What counts score and state of such words as otherwise. */
const counting = new Set([
  'getSubjectSummary',
  'getAgreement',
  'getSubjectAgreement',
  'submitFeedback',
  'listFeedback',
]);

const recommendations = bands.map(({ recommendation }) => recommendation);
const stateNames = new RegExp(`\\b(${enums.State.join('|')}|acute stress)\\b`);

/** Returns the texts of a value that name a state or instruct, and the states with a number other than 0. */
function listClaims(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    const isClaim = stateNames.test(value) || recommendations.some((it) => value.includes(it));
    return isClaim ? [`${name}: ${value}`] : [];
  }
  if (typeof value === 'number') return stateNames.test(name) && value > 0 ? [`${name}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return value === true && name === 'effective' ? [name] : [];
  const isUnknown = 'evidence' in value && value.evidence !== undefined;
  return Object.entries(value).flatMap(([key, it]) => {
    // `reports` counts what people stated, per band.
    if (key === 'calibration')
      return (it as Array<{ reports: number }>).some(({ reports }) => reports > 0) ? [key] : [];
    return isUnknown && ['state', 'suggested_action'].includes(key) ? [] : listClaims(it, key);
  });
}

/** An exported row is the stored reading: it has the required fields, and no recommendation instead of `evidence`. */
const listRowClaims = (text: string) =>
  fromNdjson(text).flatMap(({ computed }) =>
    listClaims({ ...computed, ...(computed.recommendation === undefined && { evidence: 'none' }) }),
  );

type Read = (service: TestService, reading: Record<string, unknown>) => Promise<string[]>;
const claimsAt =
  (path: string): Read =>
  async ({ request }) =>
    listClaims((await request(path)).body);

/** The claims of every operation whose responses can name a state. */
const operations: Readonly<Record<string, Read>> = {
  ingest: async ({ ingest }, reading) => listClaims((await ingest({ ...who, ...reading })).body),
  ingestBatch: async ({ post, clock }, reading) => {
    const readings = [{ ...who, timestamp: clock.at(), ...reading, spo2: 96 }];
    return listClaims((await post('/v1/ingest/batch', readings)).body);
  },
  getState: async (service) => [
    ...(await claimsAt('/v1/state?session_id=s1')(service, {})),
    ...(await claimsAt('/v1/state?subject_id=anna')(service, {})),
  ],
  getHistory: claimsAt('/v1/history?session_id=s1&minutes=60'),
  listSessions: async (service) => [
    ...(await claimsAt('/v1/sessions?points=20')(service, {})),
    ...(await claimsAt('/v1/sessions?sort=score&points=20')(service, {})),
  ],
  getSubjectSummary: claimsAt('/v1/subjects/anna/summary'),
  exportReadings: async ({ url, key }) => {
    const response = await fetch(`${url}/v1/export?session_id=s1`, { headers: { 'X-Service-Key': key } });
    return listRowClaims(await response.text());
  },
  streamEvents: async (service) => {
    const stream = await openStream(service, { session_id: 's1', last_event_id: '0' });
    return (await stream.until(2)).flatMap(({ type, data }) => (type === 'reading' ? listClaims(data) : [type]));
  },
  submitFeedback: async ({ post, clock }) => [
    ...listClaims(
      (await post('/v1/feedback', { ...who, subject_id: undefined, timestamp: clock.at(), stress: 7 })).body,
    ),
    ...listClaims(
      (await post('/v1/feedback', { subject_id: 'anna', timestamp: clock.at(), duration_seconds: 600, stress: 7 }))
        .body,
    ),
  ],
  listFeedback: claimsAt('/v1/feedback'),
  getAgreement: claimsAt('/v1/agreement'),
  getSubjectAgreement: claimsAt('/v1/subjects/anna/agreement'),
  listDeliveries: claimsAt('/webhooks/deliveries'),
  getDelivery: async (service) => {
    const { deliveries } = (await service.request('/webhooks/deliveries')).body;
    const ids: string[] = deliveries.map((it: { id: string }) => it.id);
    return (await Promise.all(ids.map((id) => claimsAt(`/webhooks/deliveries/${id}`)(service, {})))).flat();
  },
  listFailedDeliveries: claimsAt('/webhooks/retries'),
};

/** Surfaces without an operation: tools of agents, and instructions for models. */
const surfaces: Readonly<Record<string, Read>> = {
  'tools of agents': async ({ url, key }) => {
    const client = await connectAgent({ url, key });
    const claims = [];
    for (const [name, args] of [
      ['get_human_state', { session_id: 's1' }],
      ['get_session_history', { session_id: 's1' }],
      ['get_subject_summary', { subject_id: 'anna' }],
      ['list_sessions', {}],
    ] as const) {
      const { content } = await client.callTool({ name, arguments: args });
      const [{ text }] = content as unknown as [{ text: string }];
      if (name === 'get_human_state') expect(text).toMatch(/^\{"evidence":"(none|weak)"/);
      claims.push(...listClaims(JSON.parse(text)));
    }
    return claims;
  },
  'instruction and headers of the gateway': async ({ request }) => {
    const reading: StateReading = (await request('/v1/state?session_id=s1')).body;
    return [writeInstruction(reading, true), ...Object.keys(createStateHeaders({ reading }, false))].filter((it) =>
      /^$|^X-State$/.test(it) ? it === 'X-State' : stateNames.test(it),
    );
  },
  'a session token': async (service) => {
    const headers = bearer(await issueToken(service, { session_id: 's1' }));
    return listClaims((await service.request('/v1/state?session_id=s1', { headers })).body);
  },
  'the profile of a person': async ({ request }) => {
    const { body } = await request('/v1/triggers?subject_id=anna');
    return Object.keys(body.triggers);
  },
};

/** True for a schema with a state, also in the schemas that it refers to. Adds the names of these to `seen`. */
function isNaming(schema: object, seen = new Set(['Webhook'])): boolean {
  const text = JSON.stringify(schema);
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
  const isNew = (name: string) => !seen.has(name) && seen.add(name);
  return (
    text.includes('"acute_stress"') ||
    names.filter(isNew).some((name) => isNaming(resolve({ $ref: `#/components/schemas/${name}` }), seen))
  );
}

test('the law reads every operation whose response can name a state', () => {
  // The owner of a webhook chooses the states that it names: `Webhook` does not count.
  const found = documented.filter(({ answers }) =>
    answers.some(({ status, body }) => /^2/.test(status) && body !== undefined && isNaming(body.schema)),
  );
  expect(found.map(({ id }) => id).sort()).toEqual(Object.keys(operations).sort());
});

test.each(Object.entries(unread))('without evidence, nothing names a state or instructs: %s', async (_, reading) => {
  const service = await startTestService();
  const url = 'https://receiver.example.com/';
  await service.post('/webhooks/register', { url, events: ['state_change'] });
  await service.read({ ...who, ...reading });
  service.clock.advance(1);
  for (const [name, read] of Object.entries({ ...operations, ...surfaces }))
    expect([name, await read(service, reading)]).toEqual([name, []]);
  const { states } = (await service.request('/v1/sessions?sort=score')).body;
  expect(states).toMatchObject({ unknown: 1 });
  expect((await service.request('/v1/sessions?state=unknown')).body.sessions).toMatchObject([{ evidence: 'none' }]);
});

test.each(Object.entries(unread))(
  'a state that becomes unknown keeps its fields and changes no state: %s',
  async (_, reading) => {
    const service = await startTestService();
    const before = await service.read({ ...who, ...stressed });
    service.clock.advance(400);
    const state = await service.read({ ...who, ...reading });
    const { state: name, stress_score, suggested_action } = { ...before, suggested_action: 'maintain_engagement' };
    expect(state).toMatchObject({ state: name, stress_score, suggested_action, confidence: 0, evidence: 'none' });
    expect(listClaims(state)).toEqual([]);
    service.clock.advance(400);
    const calm = await service.read({ ...who, heart_rate: 62, tone: 'calm', sentiment: 0.9 });
    expect(calm).not.toHaveProperty('adaptation_effectiveness');
    const stream = await openStream(service, { session_id: 's1', last_event_id: '0' });
    const changes = (await stream.until(4)).filter(({ type }) => type === 'state_change').map(({ data }) => data);
    expect(changes).toMatchObject([{ previous_state: before.state, new_state: calm.state }]);
    const history = (await service.request('/v1/history?session_id=s1&minutes=60')).body;
    expect(history.datapoints.map((it: { evidence?: string }) => it.evidence)).toEqual([undefined, 'none', undefined]);
    expect(history.summary).toMatchObject({ transitions: 1, min: calm.stress_score, max: before.stress_score });
    const { rows } = (await service.request('/v1/subjects/anna/summary?interval=day')).body;
    const sum = (values: number[]) => values.reduce((total, it) => total + it, 0);
    expect(sum(rows.map((it: Schema<'SummaryRow'>) => it.readings))).toBe(2);
    expect(sum(rows.flatMap((it: Schema<'SummaryRow'>) => Object.values(it.state_seconds)))).toBe(300);
  },
);

test.each(Object.entries(silent))(
  'of words that say nothing, nothing names a state or instructs: %s',
  async (_, reading) => {
    const service = await startTestService();
    const state = await service.read({ ...who, ...reading });
    expect(state).toMatchObject({ evidence: 'weak', suggested_action: 'maintain_engagement' });
    expect(state.confidence).toBeGreaterThan(0);
    expect(state.confidence).toBeLessThanOrEqual(0.3);
    expect(state).toMatchObject({ action_reason: 'Nothing in the words stands out.' });
    service.clock.advance(1);
    for (const [name, read] of Object.entries({ ...operations, ...surfaces }))
      // The score counts: in its comparison with the one before, and in the seconds of states.
      expect([
        name,
        counting.has(name) ? [] : (await read(service, reading)).filter((it) => !/^effective$|^\w+: \d+$/.test(it)),
      ]).toEqual([name, []]);
    expect((await service.request('/v1/sessions?state=unknown')).body.sessions).toMatchObject([{ evidence: 'weak' }]);
    const { body } = await service.request('/v1/history?session_id=s1&minutes=60');
    expect(body.datapoints.at(-1)).toMatchObject({ evidence: 'weak' });
    expect(body.summary).toMatchObject({ max: state.stress_score });
    service.clock.advance(200);
    expect((await service.request('/v1/state?session_id=s1')).body).toMatchObject({
      evidence: 'weak',
      confidence: 0.01,
    });
    service.clock.advance(200);
    const outdated = (await service.request('/v1/state?session_id=s1')).body;
    expect(outdated).not.toHaveProperty('evidence');
    expect(outdated).toMatchObject({ confidence: 0, suggested_action: 'maintain_engagement' });
  },
);

test('a finding beside a stated sentiment of 0 keeps its action, and is not stored', async ({ service }) => {
  const found = await service.read({ ...who, sentiment: 0, user_message: 'I want to kill myself tonight.' });
  expect(found).toMatchObject({ suggested_action: 'pause_and_ground', safety: { kind: 'suicidal_thoughts' } });
  expect(found.recommendation).toBeDefined();
  expect(found).not.toHaveProperty('evidence');
  expect((await service.request('/v1/state?session_id=s1')).body).toMatchObject({ evidence: 'weak' });
});

test('a late reading of words that say nothing is weak in the history, beside a state with evidence', async ({
  service,
}) => {
  const timestamp = service.clock.at();
  service.clock.advance(60);
  await service.read({ ...who, ...stressed });
  const late = await service.read({ ...who, timestamp, sentiment: 0 });
  expect(late).not.toHaveProperty('evidence');
  const { datapoints } = (await service.request('/v1/history?session_id=s1&minutes=60')).body;
  expect(datapoints.map((it: { evidence?: string }) => it.evidence)).toEqual(['weak', undefined]);
});

test('an outdated state is not unknown', async ({ service }) => {
  await service.read({ ...who, ...stressed });
  service.clock.advance(400);
  const { body } = await service.request('/v1/state?session_id=s1');
  expect(body).toMatchObject({ confidence: 0, action_reason: expect.stringMatching(/^No usable signal/) });
  expect(body).not.toHaveProperty('evidence');
  expect((await service.request('/v1/sessions')).body.sessions[0]).not.toHaveProperty('evidence');
});

test('contributions of the state add up to its score, and a token without the person sees those of its session', async () => {
  const service = await startTestService();
  await service.read({ ...who, session_id: 'watch', heart_rate: 125 });
  service.clock.advance(1);
  await service.read({ ...who, tone: 'tense' });
  const person = bearer(await issueToken(service, who));
  const alone = bearer(await issueToken(service, { session_id: 's1' }));
  const seen = [{}, person, alone].map(async (headers) => {
    const { contributions, stress_score } = (await service.request('/v1/state?session_id=s1', { headers })).body;
    expect(Object.values<number>(contributions).reduce((sum, it) => sum + it, 0)).toBe(stress_score);
    return contributions.other_session;
  });
  expect(await Promise.all(seen)).toEqual([expect.any(Number), expect.any(Number), undefined]);
  const published = await service.read({ ...who, tone: 'tense' });
  for (const name of ['contributions', 'without']) expect(published).not.toHaveProperty(name);
});
