import { ownSessions } from '../../generated/spec.js';
import { readConfig } from '../../src/config/config.js';
import { requireSecretsKeys } from '../../src/config/secrets-key.js';
import { createComputePersonId } from '../../src/keys/oauth.js';
import { startOAuthService } from '../../testkit/authorization-server.js';
import { ndjson } from '../../testkit/batch.js';
import { settingsFor } from '../../testkit/databases.js';
import { openStream } from '../../testkit/event-source.js';
import { openPage, pageEnv, send as sendToPage } from '../../testkit/person-link.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer } from '../../testkit/tokens.js';

type Answer = { readonly status: number; readonly headers: Headers; readonly body: ReturnType<JSON['parse']> };
type Send = (path: string, body?: unknown) => Promise<Answer>;
/** A person with a credential. */
interface Person {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly send: Send;
}
type Kind = 'OAuth token' | 'link';

const kinds: readonly Kind[] = ['OAuth token', 'link'];
const startedMs = Date.now();
const day = new Date(startedMs).toISOString().slice(0, 10);
const namespace = /~[0-9a-f]{16}~/;

/** Starts a service in which two people have credentials of a kind. */
async function start(kind: Kind): Promise<{ service: TestService; anna: Person; ben: Person }> {
  const env = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '100' };
  const oauth = kind === 'link' ? undefined : await startOAuthService({ env });
  const service = oauth ?? (await startTestService({ env: { ...env, ...pageEnv } }));
  service.clock.nowMs = startedMs;
  const enter = async (name: string): Promise<Person> => {
    const config = readConfig(settingsFor(service.database.url));
    const id = oauth ? createComputePersonId(requireSecretsKeys(config), oauth.server.issuer)(name) : name;
    const page = oauth ? undefined : await openPage(service, { grants: ['read', 'feedback', 'connect'] }, id);
    const headers = oauth ? bearer(await oauth.sign(name)) : (page?.headers ?? {});
    const send: Send = (path, body) => {
      const type = path.includes('batch') ? 'application/x-ndjson' : 'application/json';
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const init = { headers: { ...headers, 'Content-Type': type }, ...(sent && { method: 'POST', body: sent }) };
      return oauth ? service.request(path, init) : sendToPage(service, path, init);
    };
    return { id, headers, send };
  };
  return { service, anna: await enter('anna'), ben: await enter('ben') };
}

const ingest = (person: Person, { clock }: TestService, ...ids: readonly string[]) =>
  person.send(
    '/v1/ingest/batch',
    ndjson(ids.map((session_id, index) => ({ session_id, timestamp: clock.at(), heart_rate: 90 + index }))),
  );
const listIds = async ({ request }: TestService, id: string) =>
  (await request(`/v1/sessions?subject_id=${id}`)).body.sessions.map((it: { session_id: string }) => it.session_id);

test.for(kinds)('%s: a new id is of the person only, who sees what the account sees with a namespace', async (kind) => {
  const { service, anna, ben } = await start(kind);
  await service.read({ session_id: 'of-ben', subject_id: ben.id, heart_rate: 70 });
  await service.read({ session_id: 'nobodys', heart_rate: 70 });
  await service.read({ session_id: 'watch', subject_id: anna.id, heart_rate: 70 });
  const own = `${anna.id}-import-${day}`;
  const chosen = ['of-ben', 'nobodys', 'new', `${ben.id}-import-${day}`, `${own}x`];
  service.clock.advance(1);
  const { body } = await ingest(anna, service, ...chosen, 'watch', own);
  expect(body.results.map((it: Answer['body']) => it.state?.session_id)).toEqual([...chosen, 'watch', own]);
  const stored: string[] = await listIds(service, anna.id);
  expect(stored.filter((it) => !namespace.test(it)).sort()).toEqual([own, 'watch'].sort());
  expect(stored.map((it) => it.replace(namespace, '')).sort()).toEqual([...chosen, 'watch', own].sort());
  expect(new Set(stored.map((it) => namespace.exec(it)?.[0])).size).toBe(2);
  for (const id of ['of-ben', 'nobodys'])
    expect((await service.request(`/v1/history?session_id=${id}`)).body.datapoints).toHaveLength(1);
  // The account sends for the person with the full name. It keeps meaning the same, also if a session gets the plain id.
  const full = stored.find((it) => it.endsWith('~new')) ?? '';
  await service.read({ session_id: full, heart_rate: 131 });
  await service.read({ session_id: 'new', subject_id: anna.id, heart_rate: 60 });
  const report = { session_id: 'new', timestamp: service.clock.at(), stress: 7 };
  for (const [path, sent] of [
    ['/v1/state?session_id=new', undefined],
    ['/v1/history?session_id=new', undefined],
    ['/v1/feedback', report],
  ] as const)
    expect([path, await anna.send(path, sent)]).toMatchObject([path, { status: 200, body: { session_id: 'new' } }]);
  expect((await anna.send('/v1/history?session_id=new')).body.datapoints.at(-1)).toMatchObject({ heart_rate: 131 });
  const base = kind === 'link' ? { ...service, url: `${service.url}/person/api` } : service;
  const stream = await openStream(base, { session_id: 'new', last_event_id: '0' }, anna.headers);
  await stream.until(2);
  const texts = [stream.text(), JSON.stringify((await anna.send('/v1/history')).body)];
  for (const format of ['csv', 'ndjson']) texts.push(String((await anna.send(`/v1/export?format=${format}`)).body));
  if (kind !== 'link') texts.push(JSON.stringify((await anna.send('/v1/sessions?sort=score')).body));
  for (const text of texts) {
    expect(text).toContain('new');
    expect(text).not.toMatch(namespace);
  }
});

test('the event of a state change names the session as the person does, and webhooks as the account does', async () => {
  const { service, anna } = await start('OAuth token');
  await service.post('/webhooks/register', { url: 'https://8.8.8.8/', events: ['state_change'] });
  const turn = { heart_rate: 130, tone: 'hostile', sentiment: -0.9, expression: 'tense' };
  for (const signals of [{ tone: 'calm', heart_rate: 60 }, turn]) {
    service.clock.advance(5);
    await anna.send('/v1/ingest', { session_id: 'chat', timestamp: service.clock.at(), ...signals });
  }
  const stream = await openStream(service, { last_event_id: '0', events: 'state_change' }, anna.headers);
  const [event] = await stream.until(1);
  expect(event?.data).toMatchObject({ event: 'state_change', session_id: 'chat' });
  const [payload] = await service.store.run((knex) => knex('outbox').pluck('payload'));
  expect(JSON.parse(payload).session_id).toMatch(new RegExp(`^${namespace.source}chat$`));
});

test('a new id has at most 238 characters, and an id of the account that is longer stays readable', async () => {
  const { service, anna } = await start('OAuth token');
  const ids = [0, 1].map((more) => 'x'.repeat(ownSessions.id_characters_max + more)) as [string, string];
  const [longest, tooLong] = ids;
  await service.read({ session_id: 'z'.repeat(256), subject_id: anna.id, heart_rate: 70 });
  const { results } = (await ingest(anna, service, ...ids, 'z'.repeat(256))).body;
  expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 422, 200]);
  expect(results[1].error.errors).toMatchObject([{ code: 'string_too_long', pointer: '/session_id' }]);
  expect((await anna.send(`/v1/state?session_id=${longest}`)).body.session_id).toBe(longest);
  const { status, body } = await anna.send(`/v1/state?session_id=${tooLong}`);
  expect([status, body.errors[0].parameter]).toEqual([422, 'session_id']);
});

test('tools name the session as the person does', async () => {
  const { service, anna } = await start('OAuth token');
  const call = async (name: string, args: object) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const headers = {
      ...anna.headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
    return response.text();
  };
  const texts = [await call('ingest', { session_id: 'chat', heart_rate: 90 })];
  texts.push(await call('get_human_state', { session_id: 'chat' }), await call('list_sessions', {}));
  for (const text of texts) {
    expect(text).toContain('"session_id":"chat"');
    expect(text).not.toMatch(namespace);
  }
  expect(await listIds(service, anna.id)).toEqual([expect.stringMatching(/^~.*~chat$/)]);
});

test('two first readings at once, and readings after an erasure, are of one session', async () => {
  const { service, anna } = await start('OAuth token');
  await Promise.all([1, 2, 3].map(() => ingest(anna, service, 'chat', 'chat')));
  const [id, ...others] = await listIds(service, anna.id);
  expect([id, others]).toEqual([expect.stringMatching(/^~.*~chat$/), []]);
  await service.request(`/v1/subjects/${anna.id}`, { method: 'DELETE' });
  expect((await ingest(anna, service, 'chat')).body.results[0].status).toBe(401);
});

/**
 * Sends readings of Ben and of the account. In between, Anna sends and reads with the ids that `tries` returns. Returns
 * the responses to the account and to Ben.
 */
async function observe(kind: Kind, tries: (ben: Person, stored: readonly string[]) => readonly string[]) {
  const { service, anna, ben } = await start(kind);
  const { body: made } = await service.post('/v1/source-keys', { subject_id: ben.id, source: 'generic' });
  const seen: unknown[] = [];
  const see = ({ status, headers, body }: Answer) => {
    const text = typeof body === 'string' ? body.replaceAll(/"cursor":"\d+"/g, '') : JSON.stringify(body);
    const left = /;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
    const plain = text
      .replaceAll(ben.id, 'BEN')
      .replaceAll(anna.id, 'ANNA')
      .replaceAll(/~[0-9a-f]{16}~/g, '~BEN~');
    seen.push([status, left, plain.replaceAll(/"(id|request_id|sample_id)":"[^"]*"/g, '')]);
  };
  const feedback = { session_id: 'chat', timestamp: service.clock.at(), stress: 7 };
  const attack = async () => {
    service.clock.advance(1);
    for (const id of tries(ben, await listIds(service, ben.id))) {
      const named = `session_id=${encodeURIComponent(id)}`;
      await ingest(anna, service, id);
      await Promise.all(['state', 'history', 'export'].map((it) => anna.send(`/v1/${it}?${named}`)));
      await anna.send('/v1/feedback', { ...feedback, session_id: id });
    }
    service.clock.advance(1);
  };
  const key = async (body: object) => see(await service.post('/v1/ingest', { timestamp: service.clock.at(), ...body }));
  const phone = () => service.post(`/v1/sources/generic?key=${made.key}`, { heart_rate: 72 }, { 'X-Service-Key': '' });
  await key({ session_id: 'watch', subject_id: ben.id, heart_rate: 70 });
  service.clock.advance(1);
  await key({ session_id: 'call', heart_rate: 71 });
  await attack();
  see(await ingest(ben, service, 'chat'));
  service.clock.advance(1);
  see(await ingest(ben, service, `${ben.id}-import-${day}`));
  await attack();
  see(await phone());
  // The post begins a session if a day has begun, and the order of sessions that begin at once is random.
  service.clock.advance(1);
  see(await ben.send('/v1/feedback', feedback));
  await key({ session_id: 'later', heart_rate: 72 });
  await key({ session_id: 'call', subject_id: ben.id, heart_rate: 73 });
  await key({ session_id: 'chat', subject_id: ben.id, heart_rate: 74 });
  await attack();
  see(await ingest(ben, service, 'chat', 'watch', 'new'));
  see(await phone());
  for (const id of ['watch', 'call', 'later', 'chat'])
    for (const path of ['state', 'history', 'export']) see(await service.request(`/v1/${path}?session_id=${id}`));
  for (const path of ['state', 'history', 'export', 'sessions', 'feedback'])
    see(await service.request(`/v1/${path}?subject_id=${ben.id}`));
  for (const path of ['state', 'history', 'export', 'state?session_id=chat', 'history?session_id=watch', 'feedback'])
    see(await ben.send(`/v1/${path}`));
  return seen;
}

test.for(kinds)(
  '%s: by no id, one person makes a difference for what another one or the account sees',
  async (kind) => {
    const tries = (ben: Person, stored: readonly string[]) => [
      ...['watch', 'call', 'later', 'chat', 'new', ben.id, `${ben.id}-import-${day}`],
      ...stored,
    ];
    const attacked = await observe(kind, tries);
    expect(attacked).toEqual(await observe(kind, () => []));
    expect(JSON.stringify(attacked)).toContain('~BEN~chat');
  },
);
