import { createComputePersonId, toClientKeyId } from '../../src/keys/oauth.js';
import { requireSecretsKeys } from '../../src/config/secrets-key.js';
import { readConfig } from '../../src/config/config.js';
import { type OAuthService, startOAuthService } from '../../testkit/authorization-server.js';
import { settingsFor } from '../../testkit/databases.js';
import { requestsById } from '../../testkit/documented-requests.js';
import { openStream } from '../../testkit/event-source.js';
import { expect, test } from '../../testkit/test.js';
import { bearer } from '../../testkit/tokens.js';
import { until } from '../../testkit/until.js';

type Body = Readonly<Record<string, unknown>>;

/** Returns requests with the token of a person. */
async function asPerson(service: OAuthService, sub: string) {
  const headers = bearer(await service.sign(sub));
  const send = (path: string, init: RequestInit = {}) =>
    service.request(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });
  const post = (path: string, body: Body) => service.post(path, body, headers);
  const ingest = (body: Body) => post('/v1/ingest', { timestamp: service.clock.at(), heart_rate: 90, ...body });
  return { headers, send, post, ingest };
}

function personId({ server, database }: OAuthService, sub: string): string {
  const config = readConfig(settingsFor(database.url));
  return createComputePersonId(requireSecretsKeys(config), server.issuer)(sub);
}

test('a token reads and sends for its person, whom it need not name', async () => {
  const service = await startOAuthService();
  const anna = await asPerson(service, 'anna');
  const id = personId(service, 'anna');
  const turn = { user_message: 'My exam is tomorrow and I panic.', ai_response: 'Which part worries you?' };
  expect((await anna.ingest({ session_id: 'chat', ...turn })).status).toBe(200);
  service.clock.advance(1);
  // A watch sends the same id with a key.
  await service.read({ session_id: 'watch', subject_id: id, heart_rate: 131 });
  for (const [path, expected] of [
    ['/v1/state', { subject_id: id, session_id: 'watch' }],
    ['/v1/state?session_id=chat', { session_id: 'chat' }],
    ['/v1/state?subject_id=me', { subject_id: id }],
    ['/v1/history', { datapoints: [{ heart_rate: 90 }, { heart_rate: 131 }] }],
    ['/v1/triggers', { subject_id: id }],
    ['/v1/subjects/me', { subject_id: id, sessions: 2 }],
    ['/v1/sessions', { sessions: [{ session_id: 'watch' }, { session_id: 'chat' }] }],
  ] as const)
    expect([path, await anna.send(path)]).toMatchObject([path, { status: 200, body: expected }]);
  const feedback = { timestamp: service.clock.at(), stress: 7 };
  expect((await anna.post('/v1/feedback', feedback)).body).toMatchObject({ subject_id: id });
  expect((await anna.post('/v1/feedback', { ...feedback, stress: 6, session_id: 'chat' })).status).toBe(200);
});

test('data of others looks absent, or is refused before it is looked for', async () => {
  const service = await startOAuthService();
  const bert = await asPerson(service, 'bert');
  await service.read({ session_id: 'hers', subject_id: personId(service, 'anna'), heart_rate: 90 });
  await service.read({ session_id: 'nobodys', heart_rate: 90 });
  const known: Readonly<Record<string, readonly string[]>> = {
    session_id: ['hers', 'nobodys'],
    subject_id: [personId(service, 'anna')],
  };
  const now = service.clock.at();
  const changes = { timestamp: now, event_time: now, subject_id: personId(service, 'bert') };
  const tried: string[] = [];
  // An ingest comes last: any id starts a session of the person.
  const isStart = (it: { readonly operationId: string }) => it.operationId.startsWith('ingest');
  const all = requestsById().sort((a, b) => Number(isStart(a)) - Number(isStart(b)));
  for (const { build, idName = '', operationId } of all.filter((it) => (it.idName ?? '') in known)) {
    if (operationId === 'streamEvents' || operationId === 'submitSource') continue;
    const answerTo = async (id: string) => {
      const { path, init } = build(id, changes);
      const { status, body } = await bert.send(path, init);
      const text = JSON.stringify(body, (name, value: unknown) => (name === 'request_id' ? '' : value));
      return { status, text: text.replaceAll(id, 'ID') };
    };
    for (const id of known[idName] ?? []) {
      const { status, text } = await answerTo(id);
      tried.push(operationId);
      if (isStart({ operationId }) && idName === 'session_id')
        expect([operationId, status]).toEqual([operationId, 200]);
      else expect([operationId, { status, text }]).toEqual([operationId, await answerTo('absent')]);
      expect([operationId, status]).toEqual([operationId, expect.toBeOneOf([200, 403, 404])]);
    }
  }
  expect(new Set(tried).size).toBeGreaterThan(15);
  for (const path of ['/v1/agreement', `/v1/state?subject_id=${personId(service, 'anna')}`])
    expect([path, (await bert.send(path)).body.code]).toEqual([path, 'other_person']);
  // What was stored is in sessions of the token's person.
  const ofAnna = `subject_id=${personId(service, 'anna')}`;
  expect((await service.request(`/v1/sessions?${ofAnna}`)).body.sessions).toHaveLength(1);
  expect((await service.request(`/v1/feedback?${ofAnna}`)).body.feedback).toEqual([]);
  expect((await service.request('/v1/history?session_id=hers')).body.datapoints).toHaveLength(1);
  expect((await service.request('/v1/history?session_id=nobodys')).body.datapoints).toHaveLength(1);
});

test('a token states, lists and removes facts of its person only', async () => {
  const service = await startOAuthService();
  const [anna, bert] = [await asPerson(service, 'anna'), await asPerson(service, 'bert')];
  const [own, other] = [personId(service, 'anna'), personId(service, 'bert')];
  const put = (subject_id: string) => {
    const body = JSON.stringify({ subject_id, kind: 'rest', start: service.clock.at(-60) });
    return anna.send('/v1/facts/a', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body });
  };
  await service.request('/v1/facts/b', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject_id: other, kind: 'rest', start: service.clock.at(-60) }),
  });
  for (const id of [own, 'me']) expect((await put(id)).body).toMatchObject({ subject_id: own, fact_id: 'a' });
  expect((await put(other)).body.code).toBe('other_person');
  const remove = { method: 'DELETE' };
  expect((await anna.send(`/v1/facts?subject_id=${other}`)).body.code).toBe('other_person');
  expect((await anna.send(`/v1/facts/b?subject_id=${other}`, remove)).body.code).toBe('other_person');
  expect((await bert.send('/v1/facts?subject_id=me')).body.facts).toMatchObject([{ fact_id: 'b' }]);
  expect((await anna.send('/v1/facts/a?subject_id=me', remove)).status).toBe(204);
});

test('a stream of a session gets nothing of a session of others, also if it starts later', async () => {
  const service = await startOAuthService();
  const [anna, bert] = [await asPerson(service, 'anna'), await asPerson(service, 'bert')];
  const streams = await Promise.all(
    [anna, bert].map(({ headers }) => openStream(service, { session_id: 'hers' }, headers)),
  );
  await anna.ingest({ session_id: 'hers' });
  await streams[0]?.until(1);
  // The same page of events, so that the other stream had its turn.
  await bert.ingest({ session_id: 'his' });
  await (await openStream(service, { session_id: 'his', last_event_id: '0' }, bert.headers)).until(1);
  expect(streams[1]?.events().map(({ type }) => type)).toEqual(['ready']);
  const exported = await bert.send('/v1/export?format=csv');
  expect(exported.body).not.toContain('hers');
});

test('a token of the whole account reads all people, as a key does', async () => {
  const service = await startOAuthService({ env: { OAUTH_WHOLE_ACCOUNT: '1', OAUTH_SUBJECT_CLAIM: '' } });
  const app = await asPerson(service, 'app');
  await service.read({ session_id: 'one', subject_id: 'anna', heart_rate: 90 });
  await service.read({ session_id: 'two', heart_rate: 90 });
  for (const path of [
    '/v1/sessions',
    '/v1/state?subject_id=anna',
    '/v1/state?session_id=two',
    '/v1/history?session_id=one',
  ]) {
    const { status, body } = await app.send(path);
    expect([path, status, body]).toEqual([path, 200, (await service.request(path)).body]);
  }
  expect((await app.ingest({ session_id: 'two', subject_id: 'bert' })).status).toBe(200);
});

test('an erasure ends the tokens of its person, and the access record names the client', async () => {
  const service = await startOAuthService();
  const anna = await asPerson(service, 'anna');
  await anna.ingest({ session_id: 'chat' });
  await anna.send('/v1/state');
  const keyId = toClientKeyId(service.server.issuer, 'agent');
  await until('the access is recorded', async () => {
    const { body } = await service.request(`/v1/subjects/${personId(service, 'anna')}/accesses`);
    return body.accesses.some((it: Body) => it['key_id'] === keyId && it['credential'] === 'token');
  });
  await service.request(`/v1/subjects/${personId(service, 'anna')}`, { method: 'DELETE' });
  expect((await anna.ingest({ session_id: 'chat' })).status).toBe(401);
  service.clock.advance(1);
  const later = await asPerson(service, 'anna');
  expect((await later.ingest({ session_id: 'chat' })).status).toBe(200);
});

test('a person starts 50 sessions per minute, all people of a client 1,000, and nobody uses up the quota of another', async () => {
  const service = await startOAuthService({ env: { LIMIT_NEW_SESSIONS_PER_MINUTE: '' } });
  const start = async (sub: string, count: number) => {
    const lines = Array.from({ length: count }, (_, index) => {
      return { session_id: `${sub}-${index}`, timestamp: service.clock.at(), heart_rate: 90 };
    });
    const { post } = await asPerson(service, sub);
    const { body } = await post('/v1/ingest/batch', lines as unknown as Body);
    return body.results.map(({ status }: { status: number }) => status).filter((status: number) => status === 200);
  };
  expect(await start('anna', 55)).toHaveLength(50);
  for (let person = 0; person < 19; person += 1) expect(await start(`bert-${person}`, 50)).toHaveLength(50);
  expect(await start('carla', 1)).toHaveLength(0);
});
