import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

/** Returns the session ids of an export. */
const sessionsIn = (text: string) => [...text.matchAll(/"session_id":"([^"]+)"/g)].map(([, id]) => id);

test('an export contains only readings of its own account', async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  for (const service of [owner, stranger]) await service.read({ subject_id: 'p', heart_rate: 70 });
  await owner.read({ session_id: 'private', subject_id: 'p', heart_rate: 70 });
  for (const query of ['', 'session_id=s1', 'subject_id=p'])
    expect(sessionsIn((await stranger.request(`/v1/export?${query}`)).body)).toEqual(['s1']);
  expect((await stranger.request('/v1/export?session_id=private')).body.code).toBe('session_not_found');
});

test('a token exports its own session, and nothing else', async ({ service }) => {
  await service.read({ subject_id: 'p', heart_rate: 70 });
  await service.read({ session_id: 's2', subject_id: 'p', heart_rate: 71 });
  const read = async (query: string, scopes?: Array<'ingest' | 'read'>) => {
    const headers = bearer(await issueToken(service, scopes ? { scopes } : {}));
    return fetch(`${service.url}/v1/export?${query}`, { headers });
  };
  for (const query of ['', 'session_id=s1']) expect(sessionsIn(await (await read(query)).text())).toEqual(['s1']);
  for (const query of ['session_id=s2', 'subject_id=p']) expect((await read(query)).status).toBe(401);
  expect((await read('session_id=s1&subject_id=p')).status).toBe(422);
  expect((await read('', ['ingest'])).status).toBe(401);
});

test('exports of one session count towards its requests per minute, with a key or a token', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '4' } });
  await service.read({ heart_rate: 70 });
  // Names the session too.
  const headers = bearer(await issueToken(service));
  expect((await service.request('/v1/export?session_id=s1')).status).toBe(200);
  expect((await service.request('/v1/export', { headers })).status).toBe(200);
  const { body } = await service.request('/v1/export', { headers });
  expect(body.violated_policies).toEqual(['session']);
  expect((await service.request('/v1/export')).status).toBe(200);
});
