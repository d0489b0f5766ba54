import { operationScopes, personLinks as settings } from '../../generated/spec.js';
import type { Schema } from '../../src/contract/contract.js';
import { setUp } from '../../testkit/consents.js';
import { type RequestById, requestsById } from '../../testkit/documented-requests.js';
import { createLink, open, openPage, pageEnv, pageOrigin, readSecret, send } from '../../testkit/person-link.js';
import { shareTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

type Grant = Schema<'LinkGrant'>;
const allGrants = Object.keys(settings.grants) as Grant[];
const grantOf = new Map<string, Grant>(
  allGrants.flatMap((grant) => settings.grants[grant].operations.map((it) => [it, grant] as const)),
);

const heartRates = { anna: 80.73, ben: 81.37 };
/** What only the data of Ben contain. */
const secrets = ['device-ben', '81.37'];

const start = shareTestService({ env: pageEnv });

/** Anna and Ben, each with a session, a topic, a report and a source key.  */
async function startWithTwo(): Promise<TestService> {
  const service = await start();
  for (const subject_id of ['anna', 'ben'] as const) {
    const text = { user_message: 'My debts keep growing.', ai_response: 'I am listening.' };
    const reading = { session_id: `session-${subject_id}`, subject_id, source_device: `device-${subject_id}` };
    await service.read({ ...reading, tone: 'anxious', heart_rate: heartRates[subject_id], ...text });
    await service.post('/v1/feedback', { subject_id, timestamp: service.clock.at(), stress: 5 });
    await service.post('/v1/source-keys', { subject_id, source: 'health_auto_export' });
  }
  return service;
}

test('every operation of the page belongs to one grant, and each grant asks for the scopes of its operations', () => {
  for (const grant of allGrants) {
    const needed = settings.grants[grant].operations.map((it) => operationScopes[it]);
    expect(new Set(needed)).toEqual(new Set(settings.grants[grant].scopes));
  }
  expect(grantOf.size).toBe(allGrants.flatMap((it) => settings.grants[it].operations).length);
});

test('no operation gives a link with all grants anything of another person, or changes it', async () => {
  const service = await startWithTwo();
  const { headers } = await openPage(service, { grants: allGrants });
  const before = await readAll(service, 'ben');
  for (const secret of secrets) expect(JSON.stringify(before)).toContain(secret);
  const called = new Set<string>();
  for (const id of ['ben', 'session-ben'])
    for (const { operationId, build } of requestsById()) {
      called.add(operationId);
      const { path, init } = build(id, { timestamp: service.clock.at(), subject_id: 'ben', session_id: 'session-ben' });
      const own = { ...(init.headers as Record<string, string>), ...headers };
      const { status, text } = await send(service, path, { ...init, headers: own });
      for (const secret of secrets)
        expect([operationId, text]).toEqual([operationId, expect.not.stringContaining(secret)]);
      if (!grantOf.has(operationId)) expect([operationId, status]).toEqual([operationId, 404]);
    }
  expect([...grantOf.keys()].filter((it) => !called.has(it))).toEqual([]);
  expect(await readAll(service, 'ben')).toEqual(before);
});

/** Returns what the key reads of a person. */
async function readAll({ request }: TestService, id: string) {
  const paths = [`state?subject_id=${id}`, `triggers?subject_id=${id}`, `feedback?subject_id=${id}`, `subjects/${id}`];
  const more = [`history?subject_id=${id}`, `source-keys?subject_id=${id}`, `export?subject_id=${id}`];
  const bodies = [];
  for (const path of [...paths, ...more]) bodies.push((await request(`/v1/${path}`)).body);
  return bodies;
}

test('a link reads its own person without naming it', async () => {
  const service = await startWithTwo();
  const page = await openPage(service);
  for (const path of 'state history triggers export feedback stream subjects/me subjects/me/summary'.split(' ')) {
    const { status, text } = await page.read(`v1/${path}`);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toContain('ben');
  }
  expect((await page.read('v1/export')).text).toContain('session-anna');
});

test.each(allGrants)('the grant %s allows its operations and no other', async (grant) => {
  const service = await startWithTwo();
  const { headers } = await openPage(service, { grants: [grant] });
  // An erasure ends the link.
  const isErasure = ({ operationId }: RequestById) => Number(operationId === 'deleteSubject');
  for (const { operationId, build } of requestsById().sort((a, b) => isErasure(a) - isErasure(b))) {
    const { path, init } = build('me', { timestamp: service.clock.at() });
    const own = { ...(init.headers as Record<string, string>), ...headers };
    const { status, body } = await send(service, path, { ...init, headers: own });
    const other = grantOf.get(operationId);
    if (other === undefined) expect([operationId, status]).toEqual([operationId, 404]);
    else if (other === grant)
      expect([operationId, ['grant_required', 'path_not_found'].includes(body?.code)]).toEqual([operationId, false]);
    else expect([operationId, status, body.code]).toEqual([operationId, 403, 'grant_required']);
  }
});

test('a write needs the origin and the token of the page, and a read needs the cookie only', async () => {
  const service = await startWithTwo();
  const page = await openPage(service, { grants: ['read', 'feedback'] });
  const other = await openPage(service, { grants: ['read', 'feedback'] }, 'ben');
  const report = { timestamp: service.clock.at(), stress: 3 };
  const token = settings.token_header;
  for (const headers of [
    { Origin: 'https://other.example' },
    { Origin: 'null' },
    { Origin: `${pageOrigin}0` },
    { Origin: '' },
    { [token]: '' },
    { [token]: 'x' },
    { [token]: other.headers[token] ?? '' },
  ])
    expect(await page.write('POST', 'v1/feedback', report, headers)).toMatchObject({
      status: 403,
      body: { code: 'page_required' },
    });
  expect((await service.request('/v1/feedback?subject_id=anna')).body.feedback).toHaveLength(1);
  expect((await page.write('POST', 'v1/feedback', report)).status).toBe(200);
  expect((await page.read('v1/state', { Origin: '', [token]: '' })).status).toBe(200);
  const secret = readSecret(await createLink(service));
  expect((await open(service, secret, { Origin: 'https://other.example' })).status).toBe(403);
  expect((await open(service, secret, {})).status).toBe(403);
  expect((await open(service, secret)).status).toBe(200);
});

test('the cookie is a credential of the page only, and the page takes no other credential', async () => {
  const service = await startWithTwo();
  const { link, headers } = await openPage(service);
  const { Cookie = '' } = headers;
  const cookie = Cookie.split('=')[1] ?? '';
  const asKey = { 'X-Service-Key': cookie };
  for (const own of [
    { ...headers, 'X-Service-Key': '' },
    asKey,
    { 'X-Service-Key': '', Authorization: `Bearer ${cookie}` },
  ])
    for (const path of ['/v1/state?subject_id=anna', '/v1/subjects/anna', '/webhooks'])
      expect((await service.request(path, { headers: own })).status).toBe(401);
  for (const own of [
    {},
    { 'X-Service-Key': service.key },
    { Authorization: `Bearer ${readSecret(link)}` },
    { Cookie: `__Secure-person=${readSecret(link)}` },
    { Cookie: `${Cookie}; ${Cookie}` },
    { Cookie: Cookie.replace('__Secure-', '') },
  ])
    expect((await send(service, 'v1/state', { headers: own as Record<string, string> })).status).toBe(401);
  for (const path of 'healthz readyz mcp openapi.json docs/ .well-known/api-catalog person/api/v1/state'.split(' '))
    expect([path, (await send(service, path, { headers })).status]).toEqual([path, 404]);
});

test('withdrawing and erasing need a link that was opened within 15 minutes', async () => {
  const service = await setUp(await startWithTwo(), { consent: 'record' });
  const page = await openPage(service, { grants: allGrants });
  const terms = { purposes: ['page'], context: 'care' };
  const decision = (categories: string[]) => ({ ...terms, categories, event_time: service.clock.at() });
  service.clock.advance(900);
  const more = await page.write('PUT', 'v1/subjects/me/consent', decision(['vocal']));
  expect(more).toMatchObject({ status: 422, body: { errors: [{ pointer: '/categories' }] } });
  expect((await page.write('PUT', 'v1/subjects/me/consent', decision([]))).status).toBe(200);
  service.clock.advance(1);
  for (const [method, path, body] of [
    ['PUT', 'v1/subjects/me/consent', decision([])],
    ['DELETE', 'v1/subjects/me', undefined],
  ] as const)
    expect(await page.write(method, path, body)).toMatchObject({ status: 403, body: { code: 'link_not_recent' } });
  const again = await openPage(service, { grants: ['erase'] });
  expect((await again.write('DELETE', 'v1/subjects/me')).status).toBe(200);
  await until(
    'both pages end',
    async () => (await page.read('link')).status + (await again.read('link')).status === 802,
  );
  expect((await service.request('/v1/subjects/anna')).status).toBe(404);
  expect((await service.request('/v1/subjects/ben')).status).toBe(200);
});

test('a person learns when and how their data was read, and not with which key', async () => {
  const service = await startWithTwo();
  const page = await openPage(service);
  await service.request('/v1/state?subject_id=anna');
  await page.read('v1/triggers');
  await until(
    'both accesses are recorded',
    async () => (await page.read('v1/subjects/me/accesses')).body.accesses.length > 1,
  );
  const { text, body } = await page.read('v1/subjects/me/accesses');
  expect(new Set(body.accesses.map((it: Schema<'Access'>) => it.key_id))).toEqual(new Set(['']));
  const kinds = body.accesses.map((it: Schema<'Access'>) => `${it.credential} ${it.operation}`);
  expect(kinds).toEqual(expect.arrayContaining(['key getState', 'link getTriggers']));
  expect(text).not.toMatch(/key_[0-9a-f]|acc_|lnk_/);
  const ofKey = (await service.request('/v1/subjects/anna/accesses')).body.accesses;
  expect(ofKey.map((it: Schema<'Access'>) => it.key_id)).toEqual(expect.arrayContaining([page.link.id]));
});
