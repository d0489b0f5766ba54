import type { Submission } from '../../src/contract/contract.js';
import { ProblemError } from '../../src/contract/problem.js';
import { createReadingWriter } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/prepared-reading.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createSessionReader } from '../../src/store/sessions.js';
import { batchResults } from '../../testkit/batch.js';
import { grantOf } from '../../testkit/grants.js';
import { Clock, startTestService, type TestService } from '../../testkit/service.js';
import { erasing } from '../../testkit/stored.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

const turn = { user_message: 'my exam is tomorrow and I cannot sleep', ai_response: 'What worries you most?' };
const stress = { heart_rate: 130, tone: 'hostile', sentiment: -0.9 } as const;

/** Gives a person an active trigger, in a session of their own. */
async function worry(service: TestService, subject_id: string): Promise<readonly string[]> {
  for (let reading = 0; reading < 4; reading += 1) {
    service.clock.advance(1);
    await service.read({ session_id: `talk-of-${subject_id}`, subject_id, ...stress, ...turn });
  }
  const { body } = await service.request(`/v1/triggers?subject_id=${subject_id}`);
  expect(body.active.length).toBeGreaterThan(0);
  return body.active;
}

/** Returns a function that sends a reading with a token. */
function senderWith(service: TestService, token: string) {
  return (reading: Partial<Submission>) =>
    service.post('/v1/ingest', { timestamp: service.clock.at(), heart_rate: 60, ...reading }, bearer(token));
}

test('a token cannot read or change the triggers of a person whom it does not name', async ({ service }) => {
  await worry(service, 'victim');
  const before = (await service.request('/v1/triggers?subject_id=victim')).body;
  for (const subject of [{}, { subject_id: 'attacker' }]) {
    const session_id = `fresh-${JSON.stringify(subject).length}`;
    const token = await issueToken(service, { session_id, ...subject });
    const reading = { session_id, subject_id: 'victim', timestamp: service.clock.at(), tone: 'calm', ...turn } as const;
    for (let resend = 0; resend < 2; resend += 1) {
      const refused = await senderWith(service, token)(reading);
      expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_token', detail: 'Invalid token' } });
    }
    const ofToken = { request: (path: string, init = {}) => service.request(path, withBearer(init, token)) };
    const [foreign, other] = await batchResults(ofToken, [{ ...reading, session_id: 'other' }, reading]);
    expect({ ...other, line: 1 }).toEqual(foreign);
    expect((await service.request(`/v1/state?session_id=${session_id}`)).status).toBe(404);
    expect(await rowsOf(service, 'sessions', { session_id })).toEqual([]);
  }
  expect((await service.request('/v1/triggers?subject_id=victim')).body).toEqual(before);
});

function withBearer(init: RequestInit, token: string): RequestInit {
  return { ...init, headers: { ...(init.headers as object), ...bearer(token) } };
}

const rowsOf = ({ database }: TestService, table: string, where: object = {}): Promise<unknown[]> =>
  openKnex(database.url)(table).where(where);

test('a reading without a subject has the subject of the token, also on a line of a batch', async ({ service }) => {
  const active = await worry(service, 'anna');
  const token = await issueToken(service, { session_id: 'mine', subject_id: 'anna' });
  const send = senderWith(service, token);
  expect((await send({ session_id: 'mine', ...turn })).body.active_triggers).toEqual(active);
  expect((await send({ session_id: 'mine', subject_id: 'anna' })).status).toBe(200);
  const ofLines = await issueToken(service, { session_id: 'lines', subject_id: 'anna' });
  const request: TestService['request'] = (path, init = {}) => service.request(path, withBearer(init, ofLines));
  const line = { session_id: 'lines', timestamp: service.clock.at(), heart_rate: 70, ...turn };
  expect((await batchResults({ request }, [line]))[0]?.state?.active_triggers).toEqual(active);
  const { body } = await service.request('/v1/sessions?subject_id=anna');
  expect(body.sessions.map((it: { session_id: string }) => it.session_id).sort()).toEqual([
    'lines',
    'mine',
    'talk-of-anna',
  ]);
});

test('a token without a subject may name the subject that a key has bound its session to', async ({ service }) => {
  await service.read({ session_id: 'bound', subject_id: 'anna', heart_rate: 80 });
  const send = senderWith(service, await issueToken(service, { session_id: 'bound' }));
  service.clock.advance(1);
  expect((await send({ session_id: 'bound', subject_id: 'anna' })).status).toBe(200);
  expect((await send({ session_id: 'bound', subject_id: 'bert' })).status).toBe(401);
});

test('a resend with the token of another person does not return the stored response', async ({ service }) => {
  await worry(service, 'anna');
  const stored = { session_id: 'talk-of-anna', timestamp: service.clock.at(), heart_rate: 77 };
  expect((await service.read(stored)).active_triggers).not.toEqual([]);
  const send = senderWith(service, await issueToken(service, { session_id: 'talk-of-anna', subject_id: 'bert' }));
  expect((await send(stored)).body).toMatchObject({ status: 422, errors: [{ code: 'subject_mismatch' }] });
  expect((await send({ ...stored, subject_id: 'bert' })).body).not.toHaveProperty('active_triggers');
});

test('the subject of the session is checked in the order in which readings are stored', async ({ service }) => {
  const { store, clock, accountId } = service;
  const admitSession = async () => undefined;
  const { commit, close } = createReadingWriter({ ...erasing(service), admitSession, onEvents() {}, onCommitted() {} });
  onTestFinished(close);
  const reading = (sessionId: string, digest: string): PreparedReading => ({
    ...{ accountId, sessionId, digest, subjectId: 'anna', timestampMs: clock.nowMs, signals: { heart_rate: 70 } },
  });
  const grant = grantOf(accountId, { kind: 'session', sessionId: 's1', issuedAtMs: clock.nowMs });
  const outcomes = await commit(grantOf(accountId), [
    ...[reading('s1', 'key'), { ...reading('s1', 'token'), grant }],
    ...[{ ...reading('s2', 'token'), grant }, reading('s2', 'key')],
    { ...reading('s3', 'token'), grant },
  ]);
  expect(outcomes.map((it) => it instanceof ProblemError)).toEqual([...[false, false], ...[true, false], true]);
  expect(await createSessionReader(store.read(accountId)).find('s3')).toBeUndefined();
});

test('of two tokens with different subjects, one binds a session, and the other learns nothing', async () => {
  const service = await startTestService();
  const active = { anna: await worry(service, 'anna'), bert: await worry(service, 'bert') };
  for (let round = 0; round < 10; round += 1) {
    const session_id = `contested-${round}`;
    const answers = await Promise.all(
      (['anna', 'bert'] as const).map(async (subject_id) => {
        const send = senderWith(service, await issueToken(service, { session_id, subject_id }));
        return [subject_id, await send({ session_id })] as const;
      }),
    );
    expect(answers.map(([, { status }]) => status).sort()).toEqual([200, 422]);
    for (const [subject, { status, body }] of answers)
      expect([status, body.active_triggers]).toEqual(status === 200 ? [200, active[subject]] : [422, undefined]);
  }
});

test('readings of another person count towards the limit of failed authentications, also in a batch', async () => {
  const env = { LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE: '3' };
  const service = await startTestService({ env });
  const token = await issueToken(service, { session_id: 'mine' });
  const reading = { session_id: 'mine', subject_id: 'victim' };
  expect((await senderWith(service, token)(reading)).status).toBe(401);
  const request: TestService['request'] = (path, init = {}) => service.request(path, withBearer(init, token));
  const line = { timestamp: service.clock.at(), heart_rate: 70, ...reading };
  expect((await batchResults({ request }, [line, line])).map(({ status }) => status)).toEqual([401, 401]);
  expect((await senderWith(service, token)(reading)).status).toBe(429);
  expect(service.logs.join('')).toContain('not valid for this subject');
});

test('a token from before an erasure brings back neither the person nor the erased sessions', async () => {
  const service = await startTestService({});
  await worry(service, 'anna');
  const unknown = await issueToken(service, { session_id: 'new', subject_id: 'anna' });
  const named = await issueToken(service, { session_id: 'talk-of-anna', subject_id: 'anna' });
  const unnamed = await issueToken(service, { session_id: 'talk-of-anna' });
  const elsewhere = await issueToken(service, { session_id: 'elsewhere' });
  const neverSeen = await issueToken(service, { session_id: 'first', subject_id: 'nobody' });
  expect((await service.request('/v1/subjects/anna', { method: 'DELETE' })).status).toBe(200);
  expect((await service.request('/v1/subjects/nobody', { method: 'DELETE' })).status).toBe(404);
  service.clock.advance(1);
  for (const [token, session_id] of [
    [unknown, 'new'],
    [named, 'talk-of-anna'],
    [unnamed, 'talk-of-anna'],
    [neverSeen, 'first'],
  ] as const) {
    expect((await senderWith(service, token)({ session_id })).body.code).toBe('invalid_token');
    const request: TestService['request'] = (path, init = {}) => service.request(path, withBearer(init, token));
    const line = { session_id, timestamp: service.clock.at(), heart_rate: 70 };
    expect((await batchResults({ request }, [line]))[0]?.error?.code).toBe('invalid_token');
  }
  for (const table of ['sessions', 'subjects', 'session_readings', 'triggers'])
    expect([table, await rowsOf(service, table)]).toEqual([table, []]);
  // The person returns with a key. Earlier tokens of any of the person's sessions stay invalid.
  const stored = { session_id: 'elsewhere', subject_id: 'anna', timestamp: service.clock.at(), heart_rate: 70 };
  await service.read(stored);
  // A resend does not return the stored response either.
  expect((await senderWith(service, elsewhere)(stored)).status).toBe(401);
  expect((await senderWith(service, elsewhere)({ session_id: 'elsewhere' })).status).toBe(401);
  const later = await issueToken(service, { session_id: 'new', subject_id: 'anna' });
  expect((await senderWith(service, later)({ session_id: 'new' })).status).toBe(200);
  expect(JSON.stringify(await rowsOf(service, 'erased_ids'))).not.toContain('anna');
});

test('an erasure is remembered for 400 days, and rejects tokens across a change of SECRETS_KEY', async () => {
  const database = await temporaryDatabase();
  const clock = new Clock();
  const [old, next] = ['o'.repeat(40), 'n'.repeat(40)];
  const before = await startTestService({ database, clock, env: { SECRETS_KEY: old } });
  const token = await issueToken(before, { session_id: 's1', subject_id: 'anna', expires_in: 3600 });
  await before.request('/v1/subjects/anna', { method: 'DELETE' });
  const after = await startTestService({ database, clock, env: { SECRETS_KEY: `${next},${old}` } });
  clock.advance(3599);
  await purgeExpired(after.store, clock.nowMs);
  expect((await senderWith(after, token)({ session_id: 's1' })).status).toBe(401);
  expect(await rowsOf(after, 'sessions')).toEqual([]);
  clock.advance(400 * 86_400 - 3599);
  await purgeExpired(after.store, clock.nowMs);
  expect(await rowsOf(after, 'erased_ids')).toHaveLength(1);
  clock.advance(1);
  await purgeExpired(after.store, clock.nowMs);
  expect(await rowsOf(after, 'erased_ids')).toEqual([]);
});
