import { allScopes } from '../../src/keys/scopes.js';
import { revokeKey, rotateKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { connectPhone, type KeyPlace } from '../../testkit/phone.js';
import { issueToken } from '../../testkit/tokens.js';
import { expect, test } from '../../testkit/test.js';

const body = { heart_rate: 72 };
const places: readonly KeyPlace[] = ['header', 'bearer', 'query', 'path'];

test('a source key is accepted in the header, as bearer, in the query and as the last part of the path', async ({
  service,
}) => {
  const phone = await connectPhone(service, 'generic');
  for (const place of places) expect([place, (await phone.post(body, { place })).status]).toEqual([place, 200]);
});

test('a service key or a session token in a URL gets an error that says so, and is not used', async ({ service }) => {
  const phone = await connectPhone(service, 'generic');
  const credentials = [phone.serviceKey, await issueToken(phone.operator)];
  for (const credential of credentials)
    for (const place of ['query', 'path'] as const)
      expect((await phone.post(body, { place, credential })).body.code).toBe('credential_in_url');
});

test('a URL with neither a source key nor the id of a connection gets an error that says so', async ({ service }) => {
  const phone = await connectPhone(service, 'generic');
  for (const credential of ['pending', 'none', 'Srk_000000000000'])
    for (const place of ['query', 'path'] as const) {
      const { body: problem } = await phone.post(body, { place, credential });
      expect(problem.code).toBe('missing_source_key');
      expect(problem.detail).toContain('no id of a connection');
    }
});

test('service keys and session tokens are no source keys, and a source key does nothing else', async ({ service }) => {
  const phone = await connectPhone(service, 'generic');
  for (const credential of [phone.serviceKey, await issueToken(phone.operator), `wk_${'0'.repeat(32)}`, 'wk_short'])
    for (const place of ['header', 'bearer'] as const)
      expect((await phone.post(body, { place, credential })).body.code).toBe('invalid_source_key');
  const headers = { 'X-Service-Key': phone.key };
  const facts = `/v1/facts?subject_id=${phone.subjectId}`;
  for (const path of [`/v1/state?subject_id=${phone.subjectId}`, facts, '/v1/source-keys', '/v1/export'])
    expect((await service.request(path, { headers })).body.code).toBe('invalid_api_key');
});

test('a missing key, several credentials and the key of another source get 401', async ({ service }) => {
  const phone = await connectPhone(service, 'generic');
  expect((await phone.post(body, { credential: '' })).body.code).toBe('missing_source_key');
  const twice = { place: 'query', headers: { 'X-Service-Key': phone.key } } as const;
  expect((await phone.post(body, twice)).body.code).toBe('several_credentials');
  const other = await connectPhone(service, 'health_connect');
  expect((await phone.post(body, { credential: other.key })).body.code).toBe('invalid_source_key');
});

test('an erasure of the person ends the source key in the same transaction, also if the person has no data', async ({
  ownService: service,
}) => {
  for (const hasData of [true, false]) {
    const phone = await connectPhone(service, 'generic');
    if (hasData) expect((await phone.post(body)).status).toBe(200);
    const path = `/v1/subjects/${phone.subjectId}`;
    expect((await phone.operator.request(path, { method: 'DELETE' })).status).toBe(200);
    const { body: list } = await phone.operator.request('/v1/source-keys');
    expect(list).toEqual({ source_keys: [] });
    // A process caches a key for a second.
    await expect.poll(async () => (await phone.post(body)).body.code).toBe('invalid_source_key');
    expect((await phone.operator.request(`/v1/state?subject_id=${phone.subjectId}`)).status).toBe(404);
  }
});

test('a source key ends with its removal, its expiry and the revocation of its maker, and survives a rotation', async ({
  ownService: service,
}) => {
  const keys = service.store.use(createKeyTable);
  const isRefused = (phone: Awaited<ReturnType<typeof connectPhone>>) =>
    expect.poll(async () => (await phone.post(body)).body.code).toBe('invalid_source_key');
  const removed = await connectPhone(service, 'generic');
  const path = `/v1/source-keys/${removed.id}`;
  expect((await removed.operator.request(path, { method: 'DELETE' })).status).toBe(204);
  expect((await removed.operator.request(path, { method: 'DELETE' })).body.code).toBe('source_key_not_found');
  await isRefused(removed);
  const rotated = await connectPhone(service, 'generic');
  const { keyId } = await rotateKey(keys, rotated.keyId, true, service.clock.nowMs);
  await revokeKey(keys, rotated.keyId, service.clock.nowMs);
  expect((await rotated.post(body)).status).toBe(200);
  await revokeKey(keys, keyId, service.clock.nowMs);
  await isRefused(rotated);
  const expiring = await connectPhone(service, 'generic', { expires_in_days: 1 });
  service.clock.advance(86_400);
  await isRefused(expiring);
});

test('no log line contains a source key, wherever it is sent', async ({ ownService: service }) => {
  const phone = await connectPhone(service, 'generic');
  for (const place of places) {
    await phone.post(body, { place });
    await phone.post('{', { place });
    await phone.post(body, { place, credential: `wk_${'1'.repeat(32)}` });
  }
  const logs = service.logs.join('\n');
  expect(logs).toContain('submitSource');
  expect(logs).not.toMatch(/wk_\w{9}/);
  const { headers } = await phone.post(body, { place: 'path' });
  expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
});

test('keys without a list of scopes, as all existing ones, cannot create source keys', async ({ service }) => {
  const existing = await makeAccount(service, 'without-sources', 'solo');
  const refusal = await service.request('/v1/source-keys', { headers: { 'X-Service-Key': existing.key } });
  expect(refusal.body.code).toBe('insufficient_scope');
  const { key } = await makeAccount(service, 'with-sources', 'solo', { scopes: allScopes });
  const headers = { 'X-Service-Key': key };
  expect((await service.request('/v1/source-keys', { headers })).status).toBe(200);
});
