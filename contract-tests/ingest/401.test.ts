import { revokeKey, rotateKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { expectNothingStored, sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const unknownKey = `sk_${'0'.repeat(32)}`;

test('a request without the key header gets missing_api_key', async ({ service: { url } }) => {
  const answer = await fetch(`${url}/v1/ingest`, { method: 'POST' });
  expect(await answer.json()).toMatchObject({ status: 401, detail: 'Missing API key', code: 'missing_api_key' });
});

test('a key in the Authorization header gets an error that names the correct header', async () => {
  const { url, key } = await startTestService();
  const answer = await fetch(`${url}/v1/ingest`, { method: 'POST', headers: { Authorization: `Bearer ${key}` } });
  expect(await answer.json()).toMatchObject({
    status: 401,
    detail: 'Missing API key: send the key in the header X-Service-Key, not in Authorization',
    code: 'missing_api_key',
  });
});

test.each([unknownKey, 'sk_short', 'Bearer x', "' OR 1=1 --", 'x'.repeat(4000)])(
  '%s is an invalid key',
  async (key) => {
    const service = await startTestService();
    const answer = await sendRaw(service, { headers: { 'X-Service-Key': key }, chunks: ['{}'] });
    expect(answer.body).toMatchObject({ status: 401, detail: 'Invalid API key', code: 'invalid_api_key' });
  },
);

test('the key is checked before path, method, body and content type', async ({ service }) => {
  const headers = { 'X-Service-Key': unknownKey, 'Content-Type': 'text/plain' };
  const requests = [{ path: '/no/such/path' }, { method: 'DELETE' }, { chunks: ['x'.repeat(5000)] }, { chunks: ['{'] }];
  for (const request of requests) expect((await sendRaw(service, { headers, ...request })).status).toBe(401);
  await expectNothingStored(service);
});

test('revoked and expired keys are invalid, and a rotated key is valid for 24 hours', async ({ service }) => {
  const { request, store, clock } = service;
  const statusWith = async (key: string) =>
    (await request('/v1/state?session_id=none', { headers: { 'X-Service-Key': key } })).status;
  const make = () => makeAccount(service, 'acme', 'solo', { expiresAtMs: clock.nowMs + 3e8 });
  const [revoked, expired, rotated, ended] = [await make(), await make(), await make(), await make()];
  await revokeKey(store.use(createKeyTable), revoked.keyId, clock.nowMs);
  const successor = await rotateKey(store.use(createKeyTable), rotated.keyId, false, clock.nowMs);
  await rotateKey(store.use(createKeyTable), ended.keyId, true, clock.nowMs);
  expect(await statusWith(revoked.key)).toBe(401);
  expect(await statusWith(ended.key)).toBe(401);
  expect(await statusWith(rotated.key)).toBe(404);
  clock.advance(24 * 60 * 60 + 1);
  expect(await statusWith(rotated.key)).toBe(401);
  expect(await statusWith(successor.key)).toBe(404);
  clock.advance(4 * 24 * 60 * 60);
  expect(await statusWith(expired.key)).toBe(401);
});

test('only the hash and the first characters of a key are stored', async ({ service: { key, store } }) => {
  const stored = JSON.stringify(await store.use(createKeyTable).list());
  expect(stored).not.toContain(key);
  expect(stored).toContain(key.slice(0, 7));
});
