import { expect, test } from 'vitest';
import type { Scope } from '../../src/contract/contract.js';
import { createKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

const path = '/v1/subjects/anna';

/** Returns the headers of a key of this account. */
async function keyOf({ store, clock }: TestService, account: string, scopes?: readonly Scope[]) {
  const { key } = await createKey(
    store.use(createKeyTable),
    { account, tier: 'solo', ...(scopes && { scopes }) },
    clock.nowMs,
  );
  return { 'X-Service-Key': key };
}

test('a subject of another account gets the same response as an absent subject', async () => {
  const service = await startTestService();
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  const headers = await keyOf(service, 'stranger');
  const asStranger = async (id: string) => {
    const { status, body } = await service.request(`/v1/subjects/${id}`, { headers });
    return [status, { ...body, request_id: '' }];
  };
  expect(await asStranger('anna')).toEqual(await asStranger('nobody'));
  expect((await service.request(path)).status).toBe(200);
});

test('subjects with the same name in two accounts have separate profiles', async () => {
  const [one, two] = [await startTestService(), await startTestService()];
  await one.read({ subject_id: 'anna', heart_rate: 70 });
  await one.read({ session_id: 's2', subject_id: 'anna', heart_rate: 70 });
  await two.read({ subject_id: 'anna', tone: 'tense' });
  expect((await one.request(path)).body).toMatchObject({
    sessions: 2,
    baseline: { heart_rate: { latest: { bpm: 70 } } },
  });
  expect((await two.request(path)).body).toMatchObject({ sessions: 1, baseline: {} });
  expect((await two.request(path)).body.baseline).toEqual({});
});

test('only a key with the scope read reads a profile', async () => {
  const service = await startTestService();
  const withScopes = async (scopes: readonly Scope[]) =>
    service.request(path, { headers: await keyOf(service, 'scoped', scopes) });
  expect((await withScopes(['read'])).status).toBe(404);
  const others = await withScopes(['ingest', 'webhooks', 'erase', 'tokens']);
  expect(others.body).toMatchObject({ status: 403, code: 'insufficient_scope' });
});

test('a request without a key and a token of a session of the person get a 401', async () => {
  const service = await startTestService();
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  const anonymous = await service.request(path, { headers: { 'X-Service-Key': '' } });
  expect(anonymous.body).toMatchObject({ status: 401, code: 'missing_api_key' });
  const headers = bearer(await issueToken(service, { session_id: 's1' }));
  expect((await service.request('/v1/state?session_id=s1', { headers })).status).toBe(200);
  expect((await service.request(path, { headers })).body).toMatchObject({ status: 401, code: 'invalid_token' });
});

test('reads of a profile count as calls of the month, and not as requests of a session', async () => {
  const env = { LIMIT_MONTHLY_CALLS: '3', LIMIT_SESSION_REQUESTS_PER_MINUTE: '1' };
  const service = await startTestService({ env });
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  for (let call = 0; call < 2; call++) expect((await service.request(path)).status).toBe(200);
  expect((await service.request(path)).body).toMatchObject({ status: 429, violated_policies: ['month'] });
});
