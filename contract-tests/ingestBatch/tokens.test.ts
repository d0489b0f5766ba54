import { batchResults, postBatch } from '../../testkit/batch.js';
import { ample, startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

/** Returns a service whose requests use a token of the session. */
async function withToken(service: TestService, session_id: string, scopes: readonly string[]) {
  const { token } = (await service.post('/v1/tokens', { session_id, scopes })).body;
  const request: TestService['request'] = (path, init = {}) =>
    service.request(path, {
      ...init,
      headers: { ...(init.headers as object), 'X-Service-Key': '', Authorization: `Bearer ${token}` },
    });
  return { request };
}

test('a session token sends lines of its own session only', async ({ service }) => {
  const reading = { timestamp: service.clock.at(), heart_rate: 88 };
  const ofToken = await withToken(service, 'mine', ['ingest']);
  const lines = [
    { session_id: 'mine', ...reading },
    { session_id: 'theirs', ...reading },
  ];
  const results = await batchResults(ofToken, lines);
  expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([200, 'invalid_token']);
  expect((await service.request('/v1/state?session_id=theirs')).status).toBe(404);
});

test('backfilled lines of a session token count as requests of its session', async () => {
  const service = await startTestService({ env: { ...ample, LIMIT_SESSION_REQUESTS_PER_MINUTE: '3' } });
  // The request for the token names the session too.
  const ofToken = await withToken(service, 'mine', ['ingest']);
  const lines = [1, 2, 3].map((minutes) => {
    return { session_id: 'mine', timestamp: service.clock.at(-60 * minutes), heart_rate: 88, backfill: true };
  });
  const results = await batchResults(ofToken, lines);
  expect(results.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(results[2]?.error?.violated_policies).toEqual(['session']);
});

test('a session token without the scope ingest sends no batch', async ({ service }) => {
  const ofToken = await withToken(service, 'mine', ['read']);
  const line = { session_id: 'mine', timestamp: service.clock.at(), heart_rate: 88 };
  expect(await postBatch(ofToken, [line])).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
});
