import { makeAccount } from '../../testkit/calls.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

const valid = { session_id: 's1', stress: 7 };

function send(service: TestService, body: object, headers: Readonly<Record<string, string>> = {}) {
  return service.post('/v1/feedback', { timestamp: service.clock.at(), ...body }, headers);
}

test.each([{ subject_id: 'p' }, { session_id: undefined }])(
  'a report with %j names not one of both',
  async (change) => {
    const { body } = await send(await startTestService(), { ...valid, ...change });
    expect(body).toMatchObject({ status: 422, errors: [{ pointer: '', code: 'exclusive' }] });
    expect(body.detail).toContain('session_id and subject_id');
  },
);

test('a report about the future, or older than the retention of feedback, is a 400 that names the limit', async () => {
  const service = await startTestService({ env: { RETENTION_FEEDBACK_DAYS: '2' } });
  await service.read({ heart_rate: 70 });
  const at = async (seconds: number) => (await send(service, { ...valid, timestamp: service.clock.at(seconds) })).body;
  expect(await at(61)).toMatchObject({ status: 400, code: 'timestamp_in_future' });
  expect(await at(60)).toHaveProperty('id');
  expect(await at(-2 * 86_400)).toHaveProperty('id');
  const tooOld = await at(-2 * 86_400 - 1);
  expect(tooOld).toMatchObject({ status: 400, code: 'feedback_too_old' });
  expect(tooOld.detail).toContain('at most 172800 s');
});

test('a token with the scope feedback sends reports of its session and its person only, and learns no subject_id', async () => {
  const service = await startTestService();
  await service.read({ subject_id: 'p', heart_rate: 70 });
  await service.read({ session_id: 's2', subject_id: 'p', heart_rate: 70 });
  const headers = bearer(await issueToken(service, { session_id: 's1', subject_id: 'p', scopes: ['feedback'] }));
  const stored = await send(service, valid, headers);
  expect(stored.status).toBe(200);
  expect(stored.body).not.toHaveProperty('subject_id');
  for (const named of [{ session_id: 's2' }, { session_id: undefined, subject_id: 'q' }])
    expect((await send(service, { ...valid, ...named }, headers)).body).toMatchObject({ code: 'invalid_token' });
  expect((await send(service, { ...valid, session_id: undefined, subject_id: 'p' }, headers)).status).toBe(200);
  for (const path of ['/v1/feedback', '/v1/agreement', '/v1/subjects/p/agreement', '/v1/state?session_id=s1'])
    expect((await service.request(path, { headers })).status).toBe(401);
});

test('a token or key without the scope feedback sends no report', async ({ service }) => {
  await service.read({ heart_rate: 70 });
  const headers = bearer(await issueToken(service, { session_id: 's1', scopes: ['ingest', 'read'] }));
  expect((await send(service, valid, headers)).body).toMatchObject({ code: 'invalid_token' });
  const { key } = await makeAccount(service, 'ingests-only', 'solo', { scopes: ['ingest', 'read'] });
  expect((await send(service, valid, { 'X-Service-Key': key })).body).toMatchObject({ code: 'insufficient_scope' });
});

test('a token from the millisecond of an erasure sends no report, and a token of the next one does', async () => {
  const service = await startTestService();
  await service.read({ subject_id: 'p', heart_rate: 70 });
  const token = () => issueToken(service, { session_id: 's1', scopes: ['feedback'] });
  const sendWith = async (issued: string) => (await send(service, valid, bearer(issued))).body;
  expect((await service.request('/v1/subjects/p', { method: 'DELETE' })).status).toBe(200);
  const same = await token();
  service.clock.advance(0.001);
  await service.read({ subject_id: 'p', heart_rate: 71 });
  expect(await sendWith(same)).toMatchObject({ code: 'invalid_token' });
  expect(await sendWith(await token())).toHaveProperty('id');
});

test('a token from before an erasure sends no report of a new session with the same id', async ({ service }) => {
  await service.read({ subject_id: 'p', heart_rate: 70 });
  const headers = bearer(await issueToken(service, { session_id: 's1', scopes: ['feedback'] }));
  service.clock.advance(1);
  await service.request('/v1/subjects/p', { method: 'DELETE' });
  expect((await send(service, valid, headers)).status).toBe(404);
  await service.read({ heart_rate: 70 });
  expect((await send(service, valid, headers)).body).toMatchObject({ code: 'invalid_token' });
  expect((await service.request('/v1/feedback')).body.feedback).toEqual([]);
});

test('a token from before an erasure sends no report of a session that names the person since', async ({ service }) => {
  await service.read({ session_id: 'erased', subject_id: 'p', heart_rate: 70 });
  const headers = bearer(await issueToken(service, { session_id: 's1', scopes: ['feedback'] }));
  service.clock.advance(1);
  await service.request('/v1/subjects/p', { method: 'DELETE' });
  await service.read({ subject_id: 'p', heart_rate: 70 });
  expect((await send(service, valid, headers)).body).toMatchObject({ code: 'invalid_token' });
});

test('reports of a session count against its rate limit', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' } });
  await service.read({ heart_rate: 70 });
  expect((await send(service, valid)).status).toBe(200);
  expect((await send(service, valid)).body).toMatchObject({ status: 429, violated_policies: ['session'] });
});
