import { readConfig } from '../../src/config/config.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { connectAgent } from '../../testkit/mcp-tools.js';

const anna = { subject_id: 'anna' };
const readPerson = ({ request }: Pick<TestService, 'request'>, subjectId = 'anna') =>
  request(`/v1/state?subject_id=${subjectId}`);

/** Returns the session whose state is that of the person. */
async function sessionOf(service: Pick<TestService, 'request'>): Promise<string> {
  const { status, body } = await readPerson(service);
  expect(status).toBe(200);
  return body.session_id;
}

test('the state of a person is that of the session with the newest reading', async ({ service }) => {
  await service.read({ ...anna, session_id: 'watch', heart_rate: 70 });
  service.clock.advance(1);
  await service.read({ ...anna, session_id: 'chat', tone: 'hostile' });
  const ofChat = (await service.request('/v1/state?session_id=chat')).body;
  const { status, headers, body } = await readPerson(service);
  expect(status).toBe(200);
  expect(body).toEqual({ ...ofChat, ...anna });
  expect(headers.get('ratelimit-policy')).toMatch(/"session";q=/);
  await service.read({ session_id: 'stranger', subject_id: 'ben', tone: 'calm', timestamp: service.clock.at(1) });
  await service.read({ session_id: 'nobody', tone: 'calm', timestamp: service.clock.at(1) });
  expect(await sessionOf(service)).toBe('chat');
  await service.read({ session_id: 'watch', heart_rate: 71, timestamp: service.clock.at(1) });
  expect(await sessionOf(service)).toBe('watch');
});

test('of equal timestamps, the reading that was accepted last is the newest', async ({ service }) => {
  for (const session_id of ['one', 'two', 'one', 'three']) {
    await service.read({ ...anna, session_id, heart_rate: 70 + Math.random() });
    expect(await sessionOf(service)).toBe(session_id);
  }
});

test('a late reading does not change the state of the person, also not in another session or by a resend', async () => {
  const service = await startTestService();
  await service.read({ ...anna, session_id: 'chat', tone: 'tense' });
  const before = await readPerson(service);
  const late = { ...anna, timestamp: service.clock.at(-0.001), heart_rate: 140 };
  await service.read({ ...late, session_id: 'watch' });
  await service.read({ ...late, session_id: 'watch' });
  expect((await readPerson(service)).body).toEqual(before.body);
  await service.read({ ...anna, session_id: 'phone', tone: 'calm' });
  // The newest reading of the session `chat` has the same time as that of the person.
  await service.read({ ...late, session_id: 'chat', heart_rate: 141 });
  expect(await sessionOf(service)).toBe('phone');
});

test('a session that is bound later counts with its newest reading, also if the binding reading is late', async () => {
  const service = await startTestService();
  await service.read({ ...anna, session_id: 'chat', tone: 'tense' });
  await service.read({ session_id: 'watch', heart_rate: 70, timestamp: service.clock.at(2) });
  expect(await sessionOf(service)).toBe('chat');
  await service.read({ ...anna, session_id: 'watch', heart_rate: 71, timestamp: service.clock.at(-5) });
  expect(await sessionOf(service)).toBe('watch');
  await service.read({ ...anna, session_id: 'chat', tone: 'tense', timestamp: service.clock.at(1) });
  expect(await sessionOf(service)).toBe('watch');
});

test('backfilled readings neither change the state of a person nor are one', async ({ service }) => {
  const past = (seconds: number) => ({ heart_rate: 140, backfill: true, timestamp: service.clock.at(seconds) });
  await service.read({ ...anna, ...past(0), session_id: 'import' });
  expect(await readPerson(service)).toMatchObject({ status: 404, body: { code: 'subject_not_found' } });
  expect((await service.request('/v1/state?session_id=import')).status).toBe(200);
  await service.read({ ...anna, session_id: 'watch', heart_rate: 70, timestamp: service.clock.at(-10) });
  await service.read({ ...anna, ...past(0), session_id: 'other-import' });
  expect(await sessionOf(service)).toBe('watch');
  await service.read({ ...anna, session_id: 'phone', heart_rate: 71, timestamp: service.clock.at(-5) });
  await service.read({ ...anna, ...past(1), session_id: 'watch' });
  expect(await sessionOf(service)).toBe('phone');
});

test('an unknown person, an erased person and a person whose session has expired get the same 404', async () => {
  const service = await startTestService({});
  const unknown = await readPerson(service);
  const { request_id: _, ...problem } = unknown.body;
  expect(unknown).toMatchObject({ status: 404, body: { detail: 'No data for this subject' } });
  await service.read({ ...anna, session_id: 'watch', heart_rate: 70 });
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect((await readPerson(service)).body).toMatchObject(problem);
  await service.read({ ...anna, session_id: 'watch', heart_rate: 70 });
  expect(await sessionOf(service)).toBe('watch');
  service.clock.advance(48 * 3600);
  await purgeExpired(service.store, service.clock.nowMs);
  expect((await readPerson(service)).body).toMatchObject(problem);
  // The same id of a session, for another person.
  await service.read({ subject_id: 'ben', session_id: 'watch', heart_rate: 70 });
  expect((await readPerson(service)).body).toMatchObject(problem);
});

test('after the session of the newest reading has expired, the state is that of the next newest session', async () => {
  const service = await startTestService({});
  await service.read({ ...anna, session_id: 'first', heart_rate: 70 });
  await service.read({ ...anna, session_id: 'chat', heart_rate: 71, timestamp: service.clock.at(50) });
  service.clock.advance(70);
  for (const [session_id, seconds] of Object.entries({ first: -40, watch: -30, other: -50 }))
    await service.read({ ...anna, session_id, heart_rate: 72, timestamp: service.clock.at(seconds) });
  expect(await sessionOf(service)).toBe('chat');
  // The times of sessions are stored in minutes, and a purge leaves them one minute longer.
  service.clock.advance(24 * 3600 - 5);
  await purgeExpired(service.store, service.clock.nowMs, { ...readConfig({}).retention, summariesMs: 0 });
  expect((await service.request('/v1/state?session_id=chat')).status).toBe(404);
  expect(await sessionOf(service)).toBe('watch');
});

test('the person of another account is an unknown person', async () => {
  const [ours, theirs] = [await startTestService(), await startTestService()];
  await theirs.read({ ...anna, session_id: 'watch', heart_rate: 70 });
  expect((await readPerson(ours)).status).toBe(404);
  expect((await readPerson(theirs)).status).toBe(200);
});

test.each([
  ['state', '', 'session_id', 'missing', 'Field required: session_id or subject_id'],
  ['history', '?minutes=5', 'session_id', 'missing', 'Field required: session_id or subject_id'],
  ['state', '?session_id=a&subject_id=b', 'subject_id', 'exclusive', 'exactly one of session_id and subject_id'],
  ['history', '?session_id=a&subject_id=b', 'subject_id', 'exclusive', 'exactly one of session_id and subject_id'],
  ['stream', '?session_id=a&subject_id=b', 'subject_id', 'exclusive', 'at most one of session_id and subject_id'],
  ['export', '?session_id=a&subject_id=b', 'subject_id', 'exclusive', 'at most one of session_id and subject_id'],
  ['state', '?subject_id=', 'subject_id', 'string_too_short', 'at least 1 characters'],
  ['history', '?subject_id=a+b', 'subject_id', 'pattern_mismatch', 'without spaces'],
  ['stream', '?subject_id=a&subject_id=b', 'subject_id', 'repeated', 'only once'],
])('GET /v1/%s%s is a 422: %s, %s', async (operation, query, parameter, code, detail) => {
  const { request } = await startTestService();
  const { status, body } = await request(`/v1/${operation}${query}`);
  expect(status).toBe(422);
  expect(body.errors).toEqual([expect.objectContaining({ parameter, code, detail: expect.stringContaining(detail) })]);
});

test('reading a person is recorded for this person, and reading an unknown person is not recorded', async () => {
  const service = await startTestService();
  await service.read({ ...anna, session_id: 'watch', heart_rate: 70 });
  await readPerson(service);
  await service.request('/v1/history?subject_id=anna');
  await readPerson(service, 'unknown');
  const recorded = async () => {
    const { body } = await service.request('/v1/subjects/anna/accesses');
    const names: string[] = (body.accesses ?? []).map((it: { operation: string }) => it.operation);
    return names.filter((name) => name !== 'listAccesses');
  };
  await until('both reads are recorded', async () => (await recorded()).length >= 2);
  expect((await recorded()).sort()).toEqual(['getHistory', 'getState']);
});

test('an agent gets the state and the history of a person', async ({ service }) => {
  await service.read({ ...anna, session_id: 'watch', heart_rate: 70 });
  const agent = await connectAgent(service);
  const call = (name: string, args: Record<string, unknown>) => agent.callTool({ name, arguments: args });
  const state = await call('get_human_state', anna);
  expect(state.structuredContent).toMatchObject({ ...anna, session_id: 'watch' });
  const history = await call('get_session_history', { ...anna, minutes: 5 });
  expect(history.structuredContent).toMatchObject({ ...anna, datapoints: [{ session_id: 'watch' }] });
  for (const args of [{}, { ...anna, session_id: 'watch' }])
    expect(await call('get_human_state', args)).toMatchObject({ isError: true });
});
