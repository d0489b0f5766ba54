import { makeAccount } from '../../testkit/calls.js';
import { client, startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

test('a token reads the state and history of its session and sends its readings', async ({ service }) => {
  const headers = bearer(await issueToken(service));
  const reading = { session_id: 's1', timestamp: service.clock.at(), heart_rate: 80 };
  const stored = await service.post('/v1/ingest', reading, headers);
  expect(stored.status).toBe(200);
  expect((await service.request('/v1/state?session_id=s1', { headers })).body).toMatchObject(stored.body);
  expect((await service.request('/v1/history?session_id=s1', { headers })).body.datapoints).toHaveLength(1);
});

test('the response states the session, the scopes and the expiry, ten minutes ahead by default', async () => {
  const { post, clock } = await startTestService();
  const expiresAt = (seconds: number) => new Date(Math.floor(clock.nowMs / 1000 + seconds) * 1000).toISOString();
  const { body } = await post('/v1/tokens', { session_id: 'any', scopes: ['read'] });
  expect(body).toEqual({
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    session_id: 'any',
    scopes: ['read'],
    expires_at: expiresAt(600),
  });
  const longest = await post('/v1/tokens', { session_id: 'any', scopes: ['read'], expires_in: 3600 });
  expect(longest.body.expires_at).toBe(expiresAt(3600));
});

test('a call with a token counts for the account of its key', async () => {
  const service = await startTestService({ env: { LIMIT_MONTHLY_CALLS: '2' } });
  const headers = bearer(await issueToken(service));
  const state = () => service.request('/v1/state?session_id=s1', { headers });
  expect((await state()).status).toBe(404);
  expect((await state()).body).toMatchObject({ status: 429, violated_policies: ['month'] });
});

test('a token of a key whose only scope is "tokens" can read and send', async ({ service }) => {
  const { key } = await makeAccount(service, 'issuer', 'solo', { scopes: ['tokens'] });
  const headers = bearer(await issueToken(client(service.url, key, service.clock)));
  expect((await service.request('/v1/state?session_id=s1', { headers })).status).toBe(404);
});

test('a token works on another process with the same SECRETS_KEY', async ({ service }) => {
  const { database, clock } = service;
  const other = await startTestService({ database, clock });
  const headers = bearer(await issueToken(service));
  expect((await other.request('/v1/state?session_id=s1', { headers })).status).toBe(404);
});
