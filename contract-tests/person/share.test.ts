import { readConfig } from '../../src/config/config.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createSessionReader } from '../../src/store/sessions.js';
import { createSubjectReader } from '../../src/store/subjects.js';
import { allow, setUp } from '../../testkit/consents.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { startTwoServices } from '../../testkit/two-services.js';

const subject_id = 'anna';
const fromWatch = { session_id: 'watch', subject_id, source_device: 'watch' };
const fromChat = { session_id: 'chat', subject_id };

/** Raises the heart rate that a watch measures from 70 to 100 bpm, and ends with a hostile voice. */
async function raise({ read, clock }: Pick<TestService, 'read' | 'clock'>, watch = fromWatch) {
  for (const heart_rate of [...Array(15).fill(70), 96, 98, 100, 100, 100]) {
    await read({ ...watch, heart_rate, timestamp: clock.at() });
    clock.advance(heart_rate > 70 ? 10 : 60);
  }
  await read({ ...watch, heart_rate: 100, tone: 'hostile', timestamp: clock.at() });
}

const states = async ({ request }: Pick<TestService, 'request'>, session = 'watch') =>
  (await request(`/v1/state?session_id=${session}`)).body;

test('a chat is scored with the heart rate of the watch, and states that another session sent it', async () => {
  const service = await startTestService();
  await raise(service);
  const watch = await states(service);
  const alone = await service.read({ session_id: 'other', subject_id: 'ben', sentiment: 0.5 });
  expect(alone.state).toBe('relaxed');
  const chat = await service.read({ ...fromChat, sentiment: 0.5 });
  expect(chat.stress_score).toBeGreaterThanOrEqual(60);
  expect(chat.action_reason).toMatch(/average heart rate of the last minutes \d+ bpm above .* \(another session\)/i);
  expect(chat.action_reason).toContain('despite strongly positive words');
  expect(chat.shared_signals).toEqual([
    { signal: 'heart_rate', session_id: 'watch', timestamp: service.clock.at() },
    { signal: 'tone', session_id: 'watch', timestamp: service.clock.at() },
  ]);
  expect(chat.signals_received).toEqual(['textual']);
  // The confidence is that of all evidence: the words contradict the heart rate and the voice of the watch.
  expect(chat.confidence).toBeLessThan(watch.confidence);
  expect(await states(service, 'chat')).toMatchObject({ shared_signals: chat.shared_signals });
  // Only the session of the arriving reading is scored.
  expect(await states(service)).toEqual(watch);
});

test('a resend returns the same response, also after the value of the watch has changed', async ({ service }) => {
  await raise(service);
  const turn = { ...fromChat, timestamp: service.clock.at(), tone: 'calm' as const };
  const first = await service.read(turn);
  expect(first.shared_signals).toHaveLength(1);
  service.clock.advance(5);
  await service.read({ ...fromWatch, heart_rate: 124, timestamp: service.clock.at() });
  expect(await service.read(turn)).toEqual(first);
});

test('a value of another session counts until it is stale', async ({ service: { read, clock } }) => {
  await read({ ...fromWatch, heart_rate: 72 });
  clock.advance(299.999);
  expect((await read({ ...fromChat, tone: 'calm' })).shared_signals).toHaveLength(1);
  clock.advance(0.001);
  expect((await read({ ...fromChat, tone: 'calm' })).shared_signals).toBeUndefined();
});

test('the newest value of each signal counts, and of equal timestamps the own one', async () => {
  const { read, clock } = await startTestService();
  const [early, late] = [clock.at(-20), clock.at(-10)];
  await read({ ...fromWatch, tone: 'hostile', sentiment: -0.9, timestamp: late });
  const own = await read({ ...fromChat, tone: 'calm', timestamp: late });
  expect(own.shared_signals).toEqual([{ signal: 'sentiment', session_id: 'watch', timestamp: late }]);
  const third = await read({ session_id: 'third', subject_id, urgency: 'low', timestamp: late });
  // Of equal timestamps in other sessions, the more stressful value counts.
  expect(third.action_reason).toContain('ostile voice (another session)');
  await read({ session_id: 'fourth', subject_id, sentiment: 0.9, timestamp: early });
  const fifth = await read({ session_id: 'fifth', subject_id, urgency: 'low', timestamp: clock.at() });
  expect(fifth.shared_signals).toContainEqual({ signal: 'sentiment', session_id: 'watch', timestamp: late });
});

test('a jump of the heart rate is shared once the next reading confirms it', async ({ service: { read, clock } }) => {
  await read({ ...fromWatch, heart_rate: 70 });
  const before = clock.at();
  clock.advance(30);
  await read({ ...fromWatch, heart_rate: 180, timestamp: clock.at() });
  const unconfirmed = await read({ ...fromChat, tone: 'neutral', timestamp: clock.at() });
  expect(unconfirmed.shared_signals).toEqual([{ signal: 'heart_rate', session_id: 'watch', timestamp: before }]);
  clock.advance(30);
  await read({ ...fromWatch, heart_rate: 178, timestamp: clock.at() });
  const confirmed = await read({ ...fromChat, tone: 'neutral', timestamp: clock.at() });
  expect(confirmed.shared_signals).toEqual([{ signal: 'heart_rate', session_id: 'watch', timestamp: clock.at() }]);
});

test('stated movement of a phone explains the heart rate of the watch', async ({ service }) => {
  const { read, clock } = service;
  await read({ session_id: 'phone', subject_id, tone: 'neutral', activity_level: 'vigorous' });
  const running = await read({ ...fromWatch, heart_rate: 125 });
  expect(running.shared_signals).toContainEqual({
    signal: 'activity_level',
    session_id: 'phone',
    timestamp: clock.at(),
  });
  const still = await read({ session_id: 'strap', subject_id: 'ben', heart_rate: 125 });
  expect(running.stress_score).toBeLessThan(still.stress_score);
});

test('stated movement counts for a third session of the person until it is stale', async () => {
  const { read, clock } = await startTestService();
  await read({ session_id: 'phone', subject_id, activity_level: 'vigorous', tone: 'neutral' });
  await read({ ...fromWatch, tone: 'calm' });
  clock.advance(299.999);
  const named = async (session_id: string) => {
    const { shared_signals = [] } = await read({ session_id, subject_id, heart_rate: 125, timestamp: clock.at() });
    return shared_signals.filter(({ signal }) => signal === 'activity_level').map((it) => it.session_id);
  };
  expect(await named('strap')).toEqual(['phone']);
  clock.advance(0.001);
  expect(await named('strap2')).toEqual([]);
});

test('backfill neither reads nor writes live values', async ({ service: { read, clock } }) => {
  await read({ ...fromWatch, heart_rate: 70, backfill: true });
  expect((await read({ ...fromChat, tone: 'calm' })).shared_signals).toBeUndefined();
  const past = await read({ session_id: 'past', subject_id, heart_rate: 71, timestamp: clock.at(), backfill: true });
  expect(past.shared_signals).toBeUndefined();
});

test('people of different accounts, and sessions without a person, share nothing', async () => {
  const [one, two] = [await startTestService(), await startTestService()];
  await one.read({ ...fromWatch, heart_rate: 120 });
  expect((await two.read({ ...fromChat, tone: 'calm' })).shared_signals).toBeUndefined();
  expect((await one.read({ session_id: 'nobody', tone: 'calm' })).shared_signals).toBeUndefined();
  expect((await one.read({ ...fromChat, subject_id: 'ben', tone: 'calm' })).shared_signals).toBeUndefined();
});

test('an account with share_signals off stores no live values', async () => {
  const service = await setUp(await startTestService(), { share_signals: false });
  await service.read({ ...fromWatch, heart_rate: 120 });
  expect((await service.read({ ...fromChat, tone: 'calm' })).shared_signals).toBeUndefined();
  const subject = await createSubjectReader(service.store.read(service.accountId)).find(subject_id);
  expect(subject).not.toHaveProperty('live');
});

test('a signal without consent is not shared, and a withdrawal removes it at once', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  const { clock, read } = service;
  await allow(service, subject_id, ['vocal', 'cardiovascular']);
  await read({ ...fromWatch, heart_rate: 72, tone: 'tense', sentiment: -0.9 });
  const both = await read({ ...fromChat, tone: 'calm', timestamp: clock.at(1) });
  expect(both.shared_signals?.map(({ signal }) => signal)).toEqual(['heart_rate']);
  clock.advance(2);
  await allow(service, subject_id, ['vocal'], { event_time: clock.at() });
  const subject = await createSubjectReader(service.store.read(service.accountId)).find(subject_id);
  expect(Object.keys(subject?.live?.signals ?? {})).toEqual(['tone']);
  expect(subject?.live).not.toHaveProperty('heart');
  expect(
    (await read({ session_id: 'new', subject_id, tone: 'calm', timestamp: clock.at(3) })).shared_signals,
  ).toBeUndefined();
});

test('a withdrawal also counts for the values of the only session of a person', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  const { clock, read } = service;
  await allow(service, subject_id, ['vocal', 'cardiovascular']);
  await read({ ...fromWatch, heart_rate: 72, tone: 'tense' });
  clock.advance(2);
  await allow(service, subject_id, ['vocal', 'textual'], { event_time: clock.at() });
  const stored = await createSessionReader(service.store.read(service.accountId)).find(fromWatch.session_id);
  expect(Object.keys(stored?.session.signals ?? {})).toEqual(['tone']);
  const chat = await read({ ...fromChat, sentiment: 0.1, timestamp: clock.at(1) });
  expect(chat.shared_signals?.map(({ signal }) => signal)).toEqual(['tone']);
});

test('a withdrawal removes values in all sessions of a person, also if there are more than one transaction changes', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  const { clock, post } = service;
  await allow(service, subject_id, ['vocal', 'cardiovascular']);
  const ids = Array.from({ length: 101 }, (_, index) => `s${index}`);
  const values = { subject_id, timestamp: clock.at(), heart_rate: 72, tone: 'tense' };
  const sent = await post(
    '/v1/ingest/batch',
    ids.map((session_id) => ({ session_id, ...values })),
  );
  expect(sent.body).toMatchObject({ accepted: ids.length });
  clock.advance(2);
  await allow(service, subject_id, ['vocal'], { event_time: clock.at() });
  const sessions = createSessionReader(service.store.read(service.accountId));
  for (const id of ids) expect(Object.keys((await sessions.find(id))?.session.signals ?? {})).toEqual(['tone']);
});

test('a session that replaces the only session of a person shares its own values', async () => {
  const { read, clock } = await startTestService();
  await read({ ...fromWatch, heart_rate: 72 });
  clock.advance(301);
  await read({ ...fromChat, tone: 'calm', timestamp: clock.at() });
  const watch = await read({ ...fromWatch, heart_rate: 72, timestamp: clock.at(1) });
  expect(watch.shared_signals?.map(({ session_id }) => session_id)).toEqual(['chat']);
  clock.advance(301);
  await read({ ...fromWatch, heart_rate: 73, timestamp: clock.at() });
  const chat = await read({ ...fromChat, sentiment: 0, timestamp: clock.at(1) });
  expect(chat.shared_signals?.map(({ signal }) => signal)).toEqual(['heart_rate']);
});

test('an erasure removes the live values', async ({ service: { read, request, clock } }) => {
  await read({ ...fromWatch, heart_rate: 120 });
  expect((await request(`/v1/subjects/${subject_id}`, { method: 'DELETE' })).status).toBe(200);
  clock.advance(1);
  expect((await read({ ...fromChat, tone: 'calm', timestamp: clock.at() })).shared_signals).toBeUndefined();
});

test('a session that starts again for another person shares nothing of the first person', async () => {
  const { read, request, clock } = await startTestService();
  await read({ ...fromWatch, heart_rate: 120 });
  await request(`/v1/subjects/${subject_id}`, { method: 'DELETE' });
  clock.advance(1);
  await read({ session_id: 'watch', subject_id: 'ben', tone: 'calm', timestamp: clock.at() });
  const ofBen = await read({ session_id: 'chat', subject_id: 'ben', urgency: 'low', timestamp: clock.at() });
  expect(ofBen.shared_signals?.map(({ signal }) => signal)).toEqual(['tone']);
  const ofAnna = await read({ session_id: 'new', subject_id, urgency: 'low', timestamp: clock.at() });
  expect(ofAnna.shared_signals).toBeUndefined();
});

test('the values of a session without a person are not shared once a reading names its person', async () => {
  const { read, clock } = await startTestService();
  await read({ session_id: 'watch', heart_rate: 120 });
  await read({ session_id: 'watch', subject_id, tone: 'calm', timestamp: clock.at(1) });
  const chat = await read({ ...fromChat, urgency: 'low', timestamp: clock.at(2) });
  expect(chat.shared_signals?.map(({ signal }) => signal)).toEqual(['tone']);
});

test('a backfilled reading does not share the values of its session from before the session had a person', async () => {
  const { read, clock } = await startTestService();
  await read({ session_id: 'watch', heart_rate: 120 });
  await read({ session_id: 'watch', subject_id, tone: 'calm', timestamp: clock.at(1) });
  await read({ session_id: 'watch', sentiment: 0, timestamp: clock.at(-1), backfill: true });
  const chat = await read({ ...fromChat, urgency: 'low', timestamp: clock.at(2) });
  expect(chat.shared_signals?.map(({ signal }) => signal)).toEqual(['tone']);
});

test.each([
  ['with backfill', { ...fromWatch, heart_rate: 71, backfill: true }],
  ['for another person', { ...fromWatch, subject_id: 'ben', heart_rate: 71 }],
])('the only session of a person that expired and started again %s shares nothing', async (_, restart) => {
  const env = { MAX_TIMESTAMP_AGE_SECONDS: '3600', RETENTION_READINGS_HOURS: '1', RETENTION_SUMMARY_DAYS: '0' };
  const service = await startTestService({ env: { ...env, RETENTION_IDLE_SESSIONS_HOURS: '1' } });
  const { read, store, clock } = service;
  await read({ ...fromWatch, heart_rate: 120 });
  clock.advance(3600 + 150);
  const times = { ...readConfig({}).retention, readingsMs: 3_600_000, idleSessionsMs: 3_600_000, summariesMs: 0 };
  await purgeExpired(store, clock.nowMs, times);
  expect((await service.request('/v1/state?session_id=watch')).status).toBe(404);
  await read({ ...restart, timestamp: clock.at(-3590) });
  const chat = await read({ ...fromChat, tone: 'calm', timestamp: clock.at(-3580) });
  expect(chat.shared_signals).toBeUndefined();
});

test('share_signals off also applies to the values from before it was set', async () => {
  const { one, calls } = await startTwoServices();
  const ofPeople = { anna: ['watch'], ben: ['strap', 'phone'] };
  for (const [person, sessions] of Object.entries(ofPeople))
    for (const session_id of sessions) await one.read({ session_id, subject_id: person, heart_rate: 120 });
  await setUp(one, { share_signals: false });
  // The second service has not cached the settings of the account.
  for (const person of Object.keys(ofPeople)) {
    const { shared_signals } = await calls[1].read({ session_id: `chat-${person}`, subject_id: person, tone: 'calm' });
    expect([person, shared_signals]).toEqual([person, undefined]);
  }
});

test('a session that is bound later has the baseline of its person, and does not replace it', async () => {
  const { read, clock } = await startTestService();
  for (const seconds of [-180, -120, -60]) await read({ ...fromWatch, heart_rate: 70, timestamp: clock.at(seconds) });
  await read({ session_id: 'chat', heart_rate: 110 });
  const calm = { subject_id, tone: 'calm', timestamp: clock.at(1) } as const;
  const { progress = NaN } = (await read({ ...calm, session_id: 'before' })).baseline ?? {};
  expect(progress).toBeGreaterThan(0);
  for (const session_id of ['chat', 'after'])
    expect((await read({ ...calm, session_id })).baseline?.progress).toBeGreaterThanOrEqual(progress);
});

test('the purge removes live values that are stale, and leaves the baseline', async () => {
  const { read, store, accountId, clock } = await startTestService();
  await read({ ...fromWatch, heart_rate: 80 });
  await read({ ...fromChat, tone: 'calm' });
  const find = () => createSubjectReader(store.read(accountId)).find(subject_id);
  expect((await find())?.live?.signals.heart_rate).toMatchObject({ value: 80, sessionId: 'watch' });
  clock.advance(290);
  await purgeExpired(store, clock.nowMs);
  expect(await find()).toHaveProperty('live');
  clock.advance(15 * 60);
  await purgeExpired(store, clock.nowMs);
  expect(await find()).not.toHaveProperty('live');
  expect((await find())?.baseline).toHaveProperty('heart_rate');
});

test('a token without the person gets the evidence of its own session only', async ({ service }) => {
  await raise(service);
  const { clock, read, ingest } = service;
  const shown = await read({ ...fromChat, sentiment: 0.5 });
  expect(shown.stress_score).toBeGreaterThanOrEqual(60);
  const headers = bearer(await issueToken(service, { session_id: 'chat' }));
  const asToken = async (body: object) =>
    (await service.post('/v1/ingest', { session_id: 'chat', timestamp: clock.at(), ...body }, headers)).body;
  // A resend of a reading that a key sent.
  const resent = await asToken({ subject_id, sentiment: 0.5 });
  expect(resent).toMatchObject({ state: 'relaxed', timestamp: shown.timestamp });
  clock.advance(1);
  const own = await asToken({ sentiment: 0.5 });
  for (const state of [resent, own]) {
    expect(state.stress_score).toBeLessThan(40);
    expect(JSON.stringify(state)).not.toMatch(/watch|shared|heart|hostile/);
  }
  expect(own.adaptation_effectiveness.previous_score).toBe(resent.stress_score);
  expect((await ingest({ ...fromChat, timestamp: clock.at(1), urgency: 'low' })).body.shared_signals).toHaveLength(2);
});

test('a token of the person gets a score with the evidence of other sessions, without their ids and times', async () => {
  const service = await startTestService();
  await raise(service);
  const headers = bearer(await issueToken(service, { session_id: 'chat', subject_id }));
  const { body } = await service.post(
    '/v1/ingest',
    { session_id: 'chat', timestamp: service.clock.at(), sentiment: 0.5 },
    headers,
  );
  expect(body.stress_score).toBeGreaterThanOrEqual(60);
  expect(body).not.toHaveProperty('shared_signals');
  expect(JSON.stringify(body)).not.toContain('watch');
});

test('a reading on one replica is scored with the newest value that another one stored', async () => {
  const { clock, calls } = await startTwoServices();
  for (const heart_rate of [71, 72, 73, 74]) {
    clock.advance(1);
    const timestamp = clock.at();
    const [watch, chat] = heart_rate % 2 === 0 ? calls : [calls[1], calls[0]];
    await watch.read({ ...fromWatch, heart_rate, timestamp });
    const { shared_signals } = await chat.read({ ...fromChat, tone: 'calm', timestamp });
    expect(shared_signals).toEqual([{ signal: 'heart_rate', session_id: 'watch', timestamp }]);
  }
});
