import { randomUUID } from 'node:crypto';
import { generateKey } from '../../src/keys/identify.js';
import { revokeKey } from '../../src/keys/manage.js';
import { allScopes } from '../../src/keys/scopes.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { requestsThatMayGet } from '../../testkit/documented-requests.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { textOf } from '../../testkit/text-of.js';

/** The operations of a service key. */
const operations = requestsThatMayGet(403).map((it) => [it.operationId, it] as const);

const keyOf = (service: TestService, networks: readonly string[]) =>
  makeAccount(service, `net-${randomUUID()}`, 'enterprise', { networks, scopes: allScopes });

/** Returns the whole response as text, without the headers that always differ. */
async function ask({ url }: TestService, path: string, init: RequestInit, key: string): Promise<string> {
  const headers = { ...(init.headers as Record<string, string>), 'X-Service-Key': key };
  const response = await fetch(url + path, { ...init, headers });
  const lines = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  const text = (await textOf(response)).text.replaceAll(response.headers.get('x-request-id') ?? '', '{request}');
  return JSON.stringify([response.status, lines, text]);
}

test.each(operations)('%s: a key used from another network gets the same response as an unknown key', async (_, it) => {
  const service = await startTestService();
  const foreign = await keyOf(service, ['10.0.0.0/8', '2001:db8::/32']);
  const own = await keyOf(service, ['10.0.0.0/8', '127.0.0.0/8']);
  const unknown = await ask(service, it.path, it.init, generateKey());
  expect(await ask(service, it.path, it.init, foreign.key)).toBe(unknown);
  expect(await ask(service, it.path, it.init, own.key)).not.toMatch(/^\[40[13],/);
});

test('the log contains the id of a key used from another network, and the reason', async ({ service }) => {
  const { key, keyId } = await keyOf(service, ['192.0.2.0/24']);
  await service.request('/webhooks', { headers: { 'X-Service-Key': key } });
  const line = service.logs.map((it) => JSON.parse(it)).find((it) => it.key_id === keyId);
  expect(line).toMatchObject({ msg: 'request', status: 401, key_refusal: 'network' });
  expect(service.logs.join()).not.toContain(key);
});

test('the log tells a revoked key from an expired one, and warns only of the expired one', async ({ service }) => {
  const make = () => makeAccount(service, 'acme', 'solo', { expiresAtMs: service.clock.nowMs + 1_000 });
  const [revoked, expired] = [await make(), await make()];
  await revokeKey(service.store.use(createKeyTable), revoked.keyId, service.clock.nowMs);
  service.clock.advance(1);
  for (const { key } of [revoked, expired]) await service.request('/webhooks', { headers: { 'X-Service-Key': key } });
  const lines = service.logs.map((it) => JSON.parse(it)).filter((it) => it.key_id);
  const about = ({ keyId }: { keyId: string }) =>
    lines.filter((it) => it.key_id === keyId).map((it) => it.key_refusal ?? it.msg);
  expect(about(revoked)).toEqual(['revoked']);
  expect(about(expired)).toEqual([expect.stringMatching(/^API key expired/), 'expired']);
});

test('a key used from another network starts no session and counts no call', async ({ service }) => {
  const { key } = await keyOf(service, ['192.0.2.0/24']);
  const before = await service.store.use(createKeyTable).list();
  const reading = { session_id: 's', timestamp: service.clock.at(), heart_rate: 70 };
  const { headers } = await service.post('/v1/ingest', reading, { 'X-Service-Key': key });
  expect(headers.has('ratelimit')).toBe(false);
  expect(await service.store.use(createKeyTable).list()).toHaveLength(before.length);
});
