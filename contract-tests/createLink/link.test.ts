import { personLinks as settings } from '../../generated/spec.js';
import { createKey, revokeKey, rotateKey } from '../../src/keys/manage.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { openStream } from '../../testkit/event-source.js';
import { createLink, open, openPage, pageEnv, pageOrigin, readSecret, send } from '../../testkit/person-link.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const start = () => startTestService({ env: pageEnv });
const dayMs = 86_400_000;

test('a link has the default grant and validity, is listed without its URL, and is stored as a hash', async () => {
  const service = await start();
  const { url, ...link } = await createLink(service);
  const at = (ms: number) => new Date(service.clock.nowMs + ms).toISOString();
  const times = { created_at: at(0), open_until: at(dayMs), expires_at: at(30 * dayMs), opened_at: null };
  expect(link).toEqual({
    id: expect.stringMatching(/^lnk_[0-9a-f]{12}$/),
    subject_id: 'anna',
    grants: ['read'],
    ...times,
  });
  expect(url).toMatch(new RegExp(`^${pageOrigin}/person/#pl_[0-9A-Za-z]{32}$`));
  const { body } = await service.request('/v1/subjects/anna/links');
  expect(body).toEqual({ links: [link] });
  const rows = await service.store.run((knex) => knex('person_links').select());
  expect(JSON.stringify(rows)).not.toContain(readSecret({ url }));
  await open(service, readSecret({ url }));
  expect((await service.request('/v1/subjects/anna/links')).body.links[0].opened_at).toBe(at(0));
  expect((await service.request('/v1/subjects/ben/links')).body).toEqual({ links: [] });
});

test.each([[undefined], ['http://192.168.1.20:8080']])(
  'PUBLIC_URL %s gives no links, and says so',
  async (publicUrl) => {
    const service = await startTestService({ env: publicUrl === undefined ? {} : { PUBLIC_URL: publicUrl } });
    const { status, body } = await service.post('/v1/subjects/anna/links', {});
    expect({ status, code: body.errors?.[0].code }).toEqual({ status: 422, code: 'links_unavailable' });
    expect(body.detail).toContain('PUBLIC_URL');
    for (const call of ['POST link', 'GET link', 'GET v1/state', 'GET none']) {
      const [method = '', path = ''] = call.split(' ');
      const refused = await send(service, path, { method, headers: { Accept: 'text/html' } });
      expect(refused).toMatchObject({ status: 404, body: { code: 'path_not_found', detail: body.detail } });
    }
  },
);

test('the cookie is valid below the path of PUBLIC_URL only', async () => {
  const service = await startTestService({ env: { PUBLIC_URL: 'https://example.com/state/' } });
  const link = await createLink(service);
  expect(link.url).toMatch(/^https:\/\/example\.com\/state\/person\/#pl_/);
  const { headers } = await open(service, readSecret(link), { Origin: 'https://example.com' });
  expect(headers.get('set-cookie')).toMatch(
    /^__Secure-person=pl_\w{32}; Max-Age=2592000; Path=\/state\/person\/api\/; /,
  );
  expect(headers.get('set-cookie')?.split('; ').slice(3)).toEqual(['HttpOnly', 'Secure', 'SameSite=Strict']);
});

test('the page of a link ends with the key that made it', async () => {
  const service = await start();
  const account = (await service.store.use(createKeyTable).listAccounts())[0]?.name ?? '';
  const expiresAtMs = service.clock.nowMs + dayMs;
  const made = await createKey(service.store.use(createKeyTable), { account, expiresAtMs }, service.clock.nowMs);
  const link = await createLink({ ...service, ...client(service.url, made.key, service.clock) });
  const { headers, body } = await open(service, readSecret(link));
  expect(headers.get('set-cookie')).toContain('; Max-Age=86400; ');
  expect(body.expires_at).toBe(new Date(expiresAtMs).toISOString());
});

test('a key gives only grants within its own scopes', async () => {
  const service = await start();
  const account = (await service.store.use(createKeyTable).listAccounts())[0]?.name ?? '';
  for (const [scopes, grants, missing] of [
    [['tokens'], ['read'], 'read'],
    [['tokens', 'read'], ['read', 'erase'], 'erase'],
    [['tokens', 'read', 'sources'], ['connect'], 'ingest'],
    [['tokens', 'read', 'consent'], ['read', 'withdraw'], undefined],
  ] as const) {
    const made = await createKey(service.store.use(createKeyTable), { account, scopes }, service.clock.nowMs);
    const { post } = client(service.url, made.key, service.clock);
    const { status, body } = await post('/v1/subjects/anna/links', { grants });
    expect([status, body.detail ?? '']).toEqual([missing ? 403 : 201, expect.stringContaining(missing ?? '')]);
  }
});

test('a person has at most 20 links, and an expired or removed one does not count', async () => {
  const service = await start();
  const links = [];
  for (let count = 0; count < settings.links_per_subject_max; count += 1)
    links.push(await createLink(service, { expires_in_days: count === 0 ? 1 : 90 }));
  const refused = await service.post('/v1/subjects/anna/links', {});
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ code: 'too_many_links' }] } });
  service.clock.advance(86_401);
  await createLink(service);
  const path = `/v1/subjects/anna/links/${links[5]?.id}`;
  expect((await service.request(path.replace('anna', 'ben'), { method: 'DELETE' })).status).toBe(404);
  const stranger = client(service.url, (await makeAccount(service, 'stranger', 'solo')).key, service.clock);
  expect((await stranger.request(path, { method: 'DELETE' })).body.code).toBe('link_not_found');
  expect((await stranger.request('/v1/subjects/anna/links')).body).toEqual({ links: [] });
  expect((await service.request(path, { method: 'DELETE' })).status).toBe(204);
  expect((await service.request(path, { method: 'DELETE' })).status).toBe(404);
  await createLink(service);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(await service.store.run((knex) => knex('person_links').select())).toHaveLength(20);
});

test('a link opens once, within 24 hours, and unknown, expired, removed and opened ones get the same response', async () => {
  const service = await start();
  const { clock } = service;
  const links = [await createLink(service), await createLink(service), await createLink(service)];
  const [opened, removed, late] = links.map(readSecret) as [string, string, string];
  for (const method of ['GET', 'HEAD'])
    expect((await send(service, 'link', { method, headers: { Authorization: `Bearer ${opened}` } })).status).toBe(401);
  const refusals = [await send(service, 'v1/subjects/me', { headers: { Cookie: `${settings.cookie}=${opened}` } })];
  const both = await Promise.all([open(service, opened), open(service, opened)]);
  expect(both.map((it) => it.status).sort()).toEqual([200, 401]);
  await service.request(`/v1/subjects/anna/links/${links[1]?.id}`, { method: 'DELETE' });
  for (const secret of [opened, removed, `pl_${'x'.repeat(32)}`, '', 'sk_x', service.key])
    refusals.push(await open(service, secret));
  clock.advance(86_400);
  refusals.push(await open(service, late));
  for (const { status, headers, body } of refusals) {
    expect([status, body['code'], headers.get('set-cookie')]).toEqual([401, 'invalid_link', null]);
    expect({ ...body, request_id: '' }).toEqual({ ...refusals[0]?.body, request_id: '' });
  }
});

test('the responses of the page are not stored, framed, indexed or read by other origins', async () => {
  const service = await startTestService({ env: { ...pageEnv, CORS_ORIGINS: 'https://other.example' } });
  const page = await openPage(service);
  for (const response of [
    await page.read('link', { Origin: 'https://other.example' }),
    await page.read('v1/state', { Origin: 'https://other.example' }),
    await fetch(`${service.url}/person/`, { headers: { Origin: 'https://other.example' } }),
  ]) {
    const header = (name: string) => response.headers.get(name);
    expect(header('cache-control')).toBe('no-store');
    expect(header('referrer-policy')).toBe('no-referrer');
    expect(header('x-robots-tag')).toBe('noindex');
    expect(header('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(header('access-control-allow-origin')).toBe(null);
  }
  const preflight = {
    method: 'OPTIONS',
    headers: { Origin: 'https://other.example', 'Access-Control-Request-Method': 'POST' },
  };
  expect((await send(service, 'v1/feedback', preflight)).headers.get('access-control-allow-origin')).toBe(null);
});

/** Resolves when the page gets 401. */
const untilEnded = (page: Awaited<ReturnType<typeof openPage>>) =>
  until('the link ends', async () => (await page.read('link')).status === 401);

async function startStreaming(service: TestService) {
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  const page = await openPage(service, { grants: ['read', 'connect'] });
  const body = { source: 'health_auto_export' };
  const { body: made, status } = await page.write('POST', 'v1/source-keys', body);
  expect(status).toBe(201);
  const api = { ...service, url: service.url + settings.api_path.slice(0, -1) };
  const stream = await openStream(api, {}, page.headers);
  expect(stream.response.status).toBe(200);
  const sample = { data: { metrics: [] } };
  const send = () =>
    fetch(`${service.url}/v1/sources/health_auto_export`, {
      method: 'POST',
      headers: { 'X-Service-Key': String(made['key']), 'Content-Type': 'application/json' },
      body: JSON.stringify(sample),
    }).then((it) => it.status);
  expect(await send()).toBe(200);
  return { page, stream, send };
}

test.each([
  [
    'removed',
    (service: TestService, id: string) => service.request(`/v1/subjects/anna/links/${id}`, { method: 'DELETE' }),
  ],
  ['erased with its person', (service: TestService) => service.request('/v1/subjects/anna', { method: 'DELETE' })],
  [
    'revoked with its key',
    async ({ store, clock, accountId }: TestService) => {
      const keys = store.use(createKeyTable);
      const [own] = (await keys.list()).filter((it) => it.accountId === accountId);
      await revokeKey(keys, own?.keyId ?? '', clock.nowMs);
    },
  ],
])('a link that is %s ends its page, streams and source keys', async (_, end) => {
  const service = await start();
  const { page, stream, send } = await startStreaming(service);
  await end(service, page.link.id);
  await untilEnded(page);
  await until('the stream ends', async () => stream.isEnded());
  await until('the source key ends', async () => (await send()) === 401);
});

test('a link that expires ends its page and streams, and the source keys stay', async () => {
  const service = await start();
  const { page, stream, send } = await startStreaming(service);
  service.clock.advance(30 * 86_400);
  expect((await page.read('link')).status).toBe(401);
  await until('the stream ends', async () => stream.isEnded());
  expect(await send()).toBe(200);
});

test('after a rotation of its key, a link goes on and ends with the successor', async () => {
  const service = await start();
  const page = await openPage(service);
  const keys = service.store.use(createKeyTable);
  const [own] = (await keys.list()).filter((it) => it.accountId === service.accountId);
  const { keyId } = await rotateKey(keys, own?.keyId ?? '', true, service.clock.nowMs);
  service.clock.advance(2);
  expect((await page.read('link')).status).toBe(200);
  // The process caches the link for a second.
  const found = await service.store.run((knex) => knex('person_links').where({ account_id: service.accountId }));
  expect(found.map((it) => it.maker_key_id)).toEqual([keyId]);
  await revokeKey(keys, keyId, service.clock.nowMs);
  await untilEnded(page);
});
