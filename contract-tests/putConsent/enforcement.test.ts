import { expect, test } from 'vitest';
import { createSessionReader } from '../../src/store/sessions.js';
import { createSubjectReader } from '../../src/store/subjects.js';
import { allow, decide, everySignal, setUp } from '../../testkit/consents.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { postBatch } from '../../testkit/batch.js';

const enforcing = async () => setUp(await startTestService(), { consent: 'enforce' });
const subject_id = 'anna';

test('a reading keeps the signals with consent, and lists the others in signals_dropped', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['cardiovascular']);
  const reading = { ...everySignal(), subject_id };
  const state = await service.read(reading);
  expect(state.signals_received).toEqual(['cardiovascular']);
  expect([...(state.signals_dropped ?? [])].sort()).toEqual(
    [
      ...['activity_level', 'ai_response', 'expression', 'sentiment', 'steps_last_minute', 'tone', 'urgency'],
      'user_message',
    ].sort(),
  );
  expect(state).toMatchObject({ topics_detected: [] });
  expect(state).not.toHaveProperty('safety');
  expect(state).not.toHaveProperty('text_analysis');
  const { body } = await service.request(`/v1/export?session_id=${reading.session_id}`);
  expect(String(body)).toContain('118');
  expect(String(body)).not.toContain('hostile');
});

test('a person who allows everything gets the same response as in an account without consent', async () => {
  const service = await enforcing();
  const open = await startTestService();
  await allow(service, subject_id, ['cardiovascular', 'vocal', 'visual', 'textual', 'movement']);
  const reading = { ...everySignal(), subject_id, timestamp: service.clock.at() };
  expect(await service.read(reading)).toEqual(await open.read(reading));
});

test('a reading without a subject, a consent, a valid consent or an allowed signal is rejected, and nothing is stored', async () => {
  const service = await enforcing();
  const { session_id, user_message: _, ai_response: __, ...signals } = everySignal();
  const refused = async (reading: object, reason: string) => {
    const { status, body } = await service.ingest({ session_id, ...signals, ...reading });
    expect([status, body.code]).toEqual([403, 'consent_required']);
    expect(body.detail).toContain(reason);
  };
  await refused({}, 'no subject');
  await refused({ subject_id }, 'no consent is recorded');
  await allow(service, subject_id, ['cardiovascular'], { expires_at: service.clock.at(60) });
  service.clock.advance(60);
  await refused({ subject_id, timestamp: service.clock.at() }, 'has expired');
  expect((await service.request(`/v1/subjects/${subject_id}/consent`)).body.event_state).toBe('expired');
  await allow(service, subject_id, []);
  await refused({ subject_id, timestamp: service.clock.at() }, 'allows no signal');
  service.clock.advance(1);
  await allow(service, subject_id, ['movement']);
  await refused({ subject_id, timestamp: service.clock.at() }, 'allows no signal');
  expect((await service.request(`/v1/state?session_id=${session_id}`)).status).toBe(404);
});

test('a later reading of a session inherits its subject and its consent', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['vocal']);
  await service.read({ session_id: 'bound', subject_id, tone: 'tense' });
  service.clock.advance(1);
  const state = await service.read({ session_id: 'bound', tone: 'calm', heart_rate: 90 });
  expect(state.signals_dropped).toEqual(['heart_rate']);
});

test('text alone is analyzed with textual consent, and rejected without it', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['textual']);
  const text = { session_id: 'text', subject_id, user_message: 'I am scared and I cannot stop crying.' };
  const state = await service.read({ ...text, derive_sentiment: true });
  expect(state.derived?.sentiment).toBeLessThan(0);
  service.clock.advance(1);
  await allow(service, subject_id, ['cardiovascular']);
  const only = await service.ingest({ ...text, derive_sentiment: true, timestamp: service.clock.at() });
  expect(only.body.code).toBe('consent_required');
  const both = await service.read({ ...text, derive_sentiment: true, heart_rate: 80 });
  expect(both.signals_dropped).toEqual(['user_message']);
  expect(both).not.toHaveProperty('derived');
});

test('a resend gets the original response, also after a withdrawal and after a new consent', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['cardiovascular']);
  const reading = { ...everySignal(), subject_id, timestamp: service.clock.at() };
  const first = await service.read(reading);
  await allow(service, subject_id, []);
  expect(await service.read(reading)).toEqual(first);
  service.clock.advance(1);
  await allow(service, subject_id, ['cardiovascular', 'textual', 'vocal']);
  expect(await service.read(reading)).toEqual(first);
});

test('lines of a batch and backfilled readings are checked one by one', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['cardiovascular']);
  const line = { session_id: 'batch', subject_id, timestamp: service.clock.at(), heart_rate: 70, tone: 'tense' };
  const lines = [
    line,
    { ...line, timestamp: service.clock.at(-3_000), backfill: true },
    { ...line, session_id: 'other', subject_id: 'bert' },
  ];
  const answer = await postBatch(service, lines);
  expect(answer.body).toMatchObject({
    accepted: 2,
    results: [
      { status: 200, state: { signals_dropped: ['tone'] } },
      { status: 200, state: { signals_dropped: ['tone'] } },
      { status: 403, error: { code: 'consent_required' } },
    ],
  });
  expect(String((await service.request('/v1/export?session_id=batch')).body)).not.toContain('tense');
});

test('a session token cannot send what the person does not allow', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['vocal']);
  const created = await service.post('/v1/tokens', { session_id: 'page', subject_id, scopes: ['ingest'] });
  const headers = {
    Authorization: `Bearer ${created.body.token}`,
    'Content-Type': 'application/json',
    'X-Service-Key': '',
  };
  const send = async (signals: object) => {
    const body = JSON.stringify({ session_id: 'page', timestamp: service.clock.at(), ...signals });
    const sent = await fetch(`${service.url}/v1/ingest`, { method: 'POST', headers: { ...headers }, body });
    return [sent.status, await sent.json()];
  };
  delete (headers as Record<string, string>)['X-Service-Key'];
  expect(await send({ tone: 'tense', heart_rate: 99 })).toMatchObject([200, { signals_dropped: ['heart_rate'] }]);
  expect(await send({ heart_rate: 99 })).toMatchObject([403, { code: 'consent_required' }]);
});

test('a withdrawal removes live values and the baseline, and keeps what was stored before', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['cardiovascular', 'vocal']);
  for (let minute = 0; minute < 3; minute += 1) {
    await service.read({ session_id: 'day', subject_id, heart_rate: 95, tone: 'hostile' });
    service.clock.advance(60);
  }
  await allow(service, subject_id, ['vocal']);
  const scope = service.store.read(service.accountId);
  const { session } = (await createSessionReader(scope).find('day')) ?? {};
  expect(Object.keys(session?.signals ?? {})).toEqual(['tone']);
  expect(session).not.toHaveProperty('recent');
  expect((await createSubjectReader(scope).find(subject_id))?.baseline).toBeUndefined();
  expect(String((await service.request('/v1/export?session_id=day')).body)).toContain('"heart_rate":95');
  const next = await service.read({ session_id: 'day', subject_id, heart_rate: 95, tone: 'hostile' });
  expect(next.action_reason).not.toMatch(/heart/i);
});

test('with the mode record, consent is stored and readings are not checked', async () => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  await allow(service, subject_id, []);
  const state = await service.read({ subject_id, heart_rate: 90, tone: 'tense' });
  expect(state.signals_received).toEqual(['cardiovascular', 'vocal']);
  expect(state).not.toHaveProperty('signals_dropped');
});

test('values of the time before enforcement do not count for a later reading', async () => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  await service.read({ session_id: 'early', heart_rate: 150, tone: 'hostile' });
  await allow(service, subject_id, ['vocal']);
  // The key is cached for a second.
  await setUp(service, { consent: 'enforce' });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  service.clock.advance(1);
  const state = await service.read({ session_id: 'early', subject_id, tone: 'hostile' });
  expect(state.action_reason).not.toMatch(/heart/i);
});

test('at work and in education, biometric categories require a stated purpose', async () => {
  const service = await enforcing();
  for (const context of ['work', 'education'] as const) {
    const refused = await decide(service, subject_id, { context, categories: ['cardiovascular', 'textual'] });
    expect(refused).toMatchObject({ status: 403, body: { code: 'biometrics_refused' } });
    expect(refused.body.detail).toContain(`context ${context}`);
    await allow(service, subject_id, ['textual'], { context });
  }
  const medical = await setUp(await startTestService(), { consent: 'enforce', biometric_purpose: 'medical' });
  await allow(medical, subject_id, ['cardiovascular'], { context: 'work' });
  await medical.read({ subject_id, heart_rate: 80 });
  // The operator takes the statement back.
  await setUp(medical, { consent: 'enforce' });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await medical.ingest({ subject_id, heart_rate: 81 })).body.code).toBe('consent_required');
});

const toGrant = (body: string) => body.replace('"categories":[]', '"categories":["cardiovascular"]');

/** Starts a service with a withdrawal, version 2. Changes rows as somebody who can write to the database, but has no key. */
async function withdrawn() {
  const service = await enforcing();
  const knex = openKnex(service.database.url);
  const rows = (table: string, version = {}) =>
    knex(table).where({ account_id: service.accountId, subject_id, ...version });
  const stamp = service.clock.nowMs.toString(36);
  const change = async (table: string, edit: (body: string) => string, version = {}) => {
    const { body } = await rows(table, version).first();
    // Another version, so that the service does not use its cached row.
    await rows(table, version).update({ body: edit(body), ...(table === 'subjects' && { version: stamp }) });
  };
  const read = async () => {
    service.clock.advance(1);
    return service.ingest({ session_id: 'day', subject_id, heart_rate: 90, timestamp: service.clock.at() });
  };
  await allow(service, subject_id, ['cardiovascular']);
  expect((await read()).status).toBe(200);
  const { body: before } = await rows('subjects').first();
  await allow(service, subject_id, []);
  return { service, rows, change, read, before };
}

type Withdrawn = Awaited<ReturnType<typeof withdrawn>>;

test.each<[string, (changed: Withdrawn) => Promise<unknown>]>([
  [
    'edited into a grant',
    async ({ change }) => {
      await change('consents', toGrant, { version: 2 });
      await change('subjects', toGrant);
    },
  ],
  ['edited into a grant where readings use it', ({ change }) => change('subjects', toGrant)],
  ['edited into a grant where it is recorded', ({ change }) => change('consents', toGrant, { version: 2 })],
  ['replaced by the grant before it, where readings use it', ({ change, before }) => change('subjects', () => before)],
  [
    'removed where readings use it',
    ({ change }) => change('subjects', (body) => JSON.stringify({ ...JSON.parse(body), consent: undefined })),
  ],
  ['removed where it is recorded', ({ rows }) => rows('consents', { version: 2 }).delete()],
  ['without a code, as 1.0.0 writes it', ({ rows }) => rows('consents', { version: 2 }).update({ code: null })],
])('a withdrawal that is %s allows nothing, and a new decision counts', async (_, tamper) => {
  const changed = await withdrawn();
  const { service, read } = changed;
  await tamper(changed);
  expect([(await read()).status, (await read()).body.code]).toEqual([403, 'consent_required']);
  expect((await service.request(`/v1/subjects/${subject_id}/consent`)).body.event_state).not.toBe('expired');
  await allow(service, subject_id, ['cardiovascular']);
  expect((await read()).status).toBe(200);
});

test('a grant without a valid code allows no signal and no text, is not confirmed by a resend, and a withdrawal ends it', async () => {
  const { service, rows, change, read } = await withdrawn();
  service.clock.advance(1);
  const event_time = service.clock.at();
  const grant = { categories: ['cardiovascular', 'textual'] as const, event_time };
  await allow(service, subject_id, [...grant.categories], { event_time });
  await rows('consents', { version: 3 }).update({ code: null });
  await change('subjects', (body) => body);
  const { body } = await read();
  expect([body.code, body.detail]).toEqual(['consent_required', expect.stringContaining('no valid code')]);
  const text = {
    session_id: 'day',
    user_message: 'I am scared.',
    derive_sentiment: true,
    timestamp: service.clock.at(),
  };
  expect((await service.ingest(text)).body.code).toBe('consent_required');
  const stored = async () => (await service.request(`/v1/subjects/${subject_id}/consent`)).body;
  expect(await stored()).toMatchObject({ version: 3, event_state: 'unverified' });
  expect((await decide(service, subject_id, { ...grant, categories: [...grant.categories] })).status).toBe(409);
  expect(await stored()).toMatchObject({ version: 3, event_state: 'unverified', categories: grant.categories });
  await allow(service, subject_id, [], { event_time });
  expect(await stored()).toMatchObject({ version: 4, event_state: 'withdrawn' });
  expect((await read()).status).toBe(403);
});
