import { operationScopes, personLinks } from '../../generated/spec.js';
import type { Schema } from '../../src/contract/contract.js';
import { type Definition, definitions } from '../../src/contract/definitions.js';
import type { GrantKind } from '../../src/contract/grant.js';
import { revokeKey, rotateKey } from '../../src/keys/manage.js';
import { createSourceKey } from '../../src/keys/source-keys.js';
import { allScopes } from '../../src/keys/scopes.js';
import { findOperation } from '../../src/operations/index.js';
import { createErasedIdTable } from '../../src/store/erased-ids.js';
import { createKeyTable } from '../../src/store/keys.js';
import { digestsOf } from '../../testkit/alerts.js';
import { startAuthorizationServer } from '../../testkit/authorization-server.js';
import { makeAccount } from '../../testkit/calls.js';
import { requestsById } from '../../testkit/documented-requests.js';
import { openPage, pageEnv, pageOrigin, send } from '../../testkit/person-link.js';
import { createHubSecret, heartRateEvent, signAsHub } from '../../testkit/phone.js';
import { client, type TestService } from '../../testkit/service.js';
import { bearer } from '../../testkit/tokens.js';
import { expect, test } from '../../testkit/test.js';
import { startTwoServices } from '../../testkit/two-services.js';

const [halfHour, hour, day] = [1_800, 3_600, 86_400];
/** The own end of what is stored: after the end of a rotated key. */
const own = 2 * day;
const ofKey = { 'key expires': halfHour, 'key revoked': 0, 'key rotated': own, 'key rotated now': own };
const ofPerson = { alone: own, 'person erased': 0, 'person erased by 1.0.0': 0, removed: 0 };

/** The ends that each kind of credential can have, and after how many seconds the credential ends then. */
const ends: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'API key': { ...ofKey, 'key rotated': day, 'key rotated now': 0 },
  'session token': { ...ofKey, alone: hour, 'key rotated': hour, 'key rotated now': 0, 'person erased': 0 },
  'source key': { ...ofKey, ...ofPerson },
  'source key of the command line': ofPerson,
  'source key of a link': { ...ofKey, ...ofPerson, 'link removed': 0, 'link expires': own },
  'hub connection': { ...ofKey, alone: own, removed: 0 },
  link: { ...ofKey, ...ofPerson },
  // The authorization server chooses the life of each token, up to a day.
  'access token': { alone: day, 'token expires': halfHour, 'person erased': 0 },
};

/** The error of each kind of credential that has ended. */
const codes: Readonly<Record<GrantKind, string>> = {
  key: 'invalid_api_key',
  session: 'invalid_token',
  oauth: 'invalid_token',
  link: 'invalid_link',
  source: 'invalid_source_key',
};

const agentScopes: readonly string[] = ['ingest', 'read', 'feedback', 'consent'];
const ofPage: readonly string[] = Object.values(personLinks.grants).flatMap(({ operations }) => operations);
const isOfSource = ({ operationId }: Definition) => findOperation(operationId).takes === 'source';

/** The operations that each kind of credential permits, by the contract and the records of the operations. */
const permits: Readonly<Record<GrantKind, (it: Definition) => boolean>> = {
  key: (it) => !isOfSource(it),
  session: ({ acceptsToken }) => acceptsToken,
  oauth: ({ operationId }) =>
    agentScopes.includes((operationScopes as Readonly<Record<string, string>>)[operationId] ?? ''),
  link: ({ operationId }) => ofPage.includes(operationId),
  source: isOfSource,
};
const protectedOperations = definitions.filter(({ isPublic }) => !isPublic);

/** A created credential. */
interface Made {
  readonly kind: GrantKind;
  /** The headers of its requests, and what is before their paths. */
  readonly headers: Readonly<Record<string, string>>;
  readonly base?: string;
  /** The person, if the case has not chosen the id. */
  readonly person?: string;
  /** Sends a request with it. Resolves with the status. */
  readonly use: (service: TestService) => Promise<number>;
  /** Absent if it is not stored. */
  readonly row?: Schema<'SourceKey'> | Schema<'Link'>;
  readonly linkId?: string;
  /** The end that the response states. Absent for API keys. */
  readonly expiresAt?: string;
}

const json = { 'Content-Type': 'application/json' };
const days = { expires_in_days: own / day };

/** A service with one of the API keys, which signs access tokens of its account with a life in seconds. */
type Maker = TestService & { readonly sign: (sub: string, seconds: number) => Promise<string> };
type Create = (one: Maker, key: string, person: string, end: string) => Promise<Made>;

/** Uses a source key. */
const post = (key: string) => async (service: TestService) =>
  (await client(service.url, key, service.clock).post('/v1/sources/generic', { heart_rate: 72 })).status;
const withKey = (kind: 'key' | 'source', key: string) => ({ kind, headers: { 'X-Service-Key': key } });

/** Creates each kind of credential with an API key of the account, for a person. */
const create: Readonly<Record<string, Create>> = {
  async 'API key'(_one, key) {
    const made = withKey('key', key);
    return { ...made, use: async ({ request }) => (await request('/v1/source-keys', made)).status };
  },
  async 'session token'(one, _key, subject_id) {
    // A person without data cannot be erased.
    await one.read({ session_id: subject_id, subject_id, heart_rate: 72 });
    const { body } = await one.post('/v1/tokens', {
      session_id: 's1',
      subject_id,
      scopes: ['ingest', 'read', 'feedback'],
      expires_in: hour,
    });
    const headers = bearer(body.token);
    const use = async ({ request }: TestService) =>
      (await request(`/v1/state?subject_id=${subject_id}`, { headers })).status;
    return { kind: 'session', headers, use, expiresAt: body.expires_at };
  },
  async 'source key'(one, _key, subject_id) {
    const { body } = await one.post('/v1/source-keys', { subject_id, source: 'generic', ...days });
    return { ...withKey('source', body.key), use: post(body.key), row: body, expiresAt: body.expires_at };
  },
  async 'source key of the command line'({ store, accountId, clock }, _key, subject_id) {
    const maker = { accountId, keyId: null, actor: 'test' };
    const { key = '', row } = await store
      .use(createKeyTable)
      .transact((writer) => createSourceKey(writer, maker, { subject_id, source: 'generic', ...days }, clock.nowMs));
    return { ...withKey('source', key), use: post(key), row: { id: row.sourceKeyId } as Schema<'SourceKey'> };
  },
  async 'source key of a link'(one, _key, person, end) {
    const expires_in_days = end === 'link expires' ? 1 : 90;
    const page = await openPage(one, { grants: ['connect'], expires_in_days }, person);
    const { body } = await page.write('POST', 'v1/source-keys', { source: 'generic', ...days });
    const made = { ...withKey('source', body.key), use: post(body.key) };
    return { ...made, row: body, linkId: page.link.id, expiresAt: body.expires_at };
  },
  async 'hub connection'(one) {
    const signing_secret = createHubSecret('terra');
    const { body } = await one.post('/v1/source-keys', { source: 'terra', signing_secret, ...days });
    const use = async ({ url, clock }: TestService) => {
      const text = JSON.stringify(heartRateEvent('terra', 'nobody', [[clock.nowMs, 72]]));
      const headers = { ...json, ...signAsHub('terra', signing_secret, text, Math.floor(clock.nowMs / 1000)) };
      return (await fetch(`${url}/v1/sources/terra/${body.id}`, { method: 'POST', body: text, headers })).status;
    };
    return { ...withKey('source', body.id), use, row: body, expiresAt: body.expires_at };
  },
  async link(one, _key, person) {
    const { link, headers } = await openPage(one, days, person);
    const use = async (service: TestService) => (await send(service, 'v1/subjects/me', { headers })).status;
    const made = { kind: 'link', headers, base: personLinks.api_path.slice(0, -1) } as const;
    return { ...made, use, row: link, linkId: link.id, expiresAt: link.expires_at };
  },
  async 'access token'(one, _key, sub, end) {
    const headers = bearer(await one.sign(sub, end === 'token expires' ? halfHour : day));
    await one.request('/v1/ingest', { method: 'POST', headers: { ...json, ...headers }, body: reading(one, sub) });
    const { body } = await one.request('/v1/subjects/me', { headers });
    const use = async ({ request }: TestService) => (await request('/v1/subjects/me', { headers })).status;
    return { kind: 'oauth', headers, use, person: body.subject_id };
  },
};

const reading = ({ clock }: TestService, session_id: string) =>
  JSON.stringify({ session_id, timestamp: clock.at(), heart_rate: 72 });

/** Calls every operation that a credential permits. Returns the operations whose response has an error of these codes. */
async function callAll({ url }: TestService, made: Made, person: string, ...codes: string[]) {
  const { kind, headers, base = '', row } = made;
  const source = row && 'source' in row ? row.source : 'generic';
  const permitted = protectedOperations.filter(permits[kind]);
  const answers = await Promise.all(
    permitted.map(async ({ method, template }) => {
      const path = template
        .replace('{subject_id}', person)
        .replace('{source}', source ?? 'generic')
        .replaceAll(/\{\w+\}/g, 'none');
      return readCode(await fetch(url + base + path, { method, headers }));
    }),
  );
  return permitted.filter((_, index) => codes.includes(answers[index] ?? '')).map(({ operationId }) => operationId);
}

/** Returns the requests of every operation that a token permits, in each way to name its person. */
function listNaming({ kind, headers }: Made, person: string, timestamp: string) {
  const naming = requestsById().filter(({ idName }) => idName === 'subject_id');
  const permitted = protectedOperations.filter(permits[kind]).map(({ operationId }): string => operationId);
  return naming
    .filter(({ operationId }) => permitted.includes(operationId))
    .map(({ title, build }) => {
      const { path, init } = build(person, { session_id: 's1', timestamp });
      return { title, path, ...init, headers: { ...init.headers, ...headers } };
    });
}

/** Returns the code of an error. A stream or another success has none. */
async function readCode(response: Response): Promise<string | undefined> {
  if (response.status < 400) return void (await response.body?.cancel());
  return ((await response.json()) as Schema<'Problem'>).code;
}

test('every credential ends in time on every process, with its API key, and is listed with this end', async () => {
  const server = await startAuthorizationServer();
  const oauth = { OAUTH_ISSUER: server.issuer, OAUTH_ACCOUNT_CLAIM: 'account', OAUTH_SUBJECT_CLAIM: 'sub' };
  const { one, two, clock } = await startTwoServices({ ...pageEnv, ...oauth });
  clock.nowMs = Math.ceil(clock.nowMs / 1000) * 1000;
  const [startMs, keys] = [clock.nowMs, one.store.use(createKeyTable)];
  const account = (await keys.listAccounts()).find(({ accountId }) => accountId === one.accountId)?.name ?? '';
  const sign = (sub: string, seconds: number) => {
    const claims = { account, aud: `${pageOrigin}/mcp`, exp: startMs / 1000 + seconds };
    return server.sign({ sub }, startMs, { claims });
  };
  const cases = Object.entries(ends).flatMap(([credential, own]) =>
    Object.entries(own).map(([end, seconds], index) => ({ credential, end, seconds, index })),
  );
  const all = await Promise.all(
    cases.map(async ({ credential, end, ...it }) => {
      const expiresAtMs = end === 'key expires' ? startMs + halfHour * 1000 : undefined;
      const { key, keyId } = await makeAccount(one, account, 'enterprise', { scopes: allScopes, expiresAtMs });
      const person = `${credential}-${it.index}`.replaceAll(' ', '-');
      const made = await create[credential]?.({ ...one, ...client(one.url, key, clock), sign }, key, person, end);
      if (!made) throw new Error(`no way to create: ${credential}`);
      return { person, ...it, ...made, credential, end, keyId, name: `${credential}: ${end}` };
    }),
  );
  type Case = (typeof all)[number];
  const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();
  const remove = async (path: string) =>
    expect((await one.request(path, { method: 'DELETE' })).status).toBeLessThan(300);
  const endings: Readonly<Record<string, (it: Case) => Promise<unknown>>> = {
    'key revoked': ({ keyId }) => revokeKey(keys, keyId, clock.nowMs),
    'key rotated': ({ keyId }) => rotateKey(keys, keyId, false, clock.nowMs),
    'key rotated now': ({ keyId }) => rotateKey(keys, keyId, true, clock.nowMs),
    'person erased': ({ person }) => remove(`/v1/subjects/${person}`),
    // It does not know the credential, which therefore remains in its table.
    async 'person erased by 1.0.0'({ person: id }) {
      const digests = digestsOf(one)(one.accountId, { kind: 'subject', id });
      await one.store.transact((scopeOf) => createErasedIdTable(scopeOf(one.accountId)).add(digests, clock.nowMs));
    },
    removed: ({ row, person }) =>
      remove(row && 'opened_at' in row ? `/v1/subjects/${person}/links/${row.id}` : `/v1/source-keys/${row?.id}`),
    'link removed': ({ person, linkId }) => remove(`/v1/subjects/${person}/links/${linkId}`),
  };

  const list = client(two.url, one.key, clock).request;
  /** Returns whether each process accepts each credential, and the end that its list states. */
  const observe = async () =>
    Promise.all(
      all.map(async ({ name, credential, person, row, use }) => {
        const accepted = [(await use(one)) !== 401, (await use(two)) !== 401];
        const path = credential === 'hub connection' ? '/v1/source-keys' : `/v1/source-keys?subject_id=${person}`;
        const { body } = await list(credential === 'link' ? `/v1/subjects/${person}/links` : path);
        const rows: ReadonlyArray<Schema<'SourceKey'>> = body.links ?? body.source_keys;
        return [name, ...accepted, row && rows.find(({ id }) => id === row.id)?.expires_at];
      }),
    );
  const expected = (isEnded: (it: Case) => boolean) =>
    all.map((it) => {
      const isValid = !isEnded(it);
      return [it.name, isValid, isValid, it.row && isValid ? at(it.seconds || own) : undefined];
    });

  const stated = all.filter(({ expiresAt }) => expiresAt !== undefined);
  expect(stated.map(({ name, expiresAt }) => [name, expiresAt])).toEqual(
    stated.map(({ name, credential, end, seconds }) => [
      name,
      at(end === 'key expires' ? seconds : credential === 'session token' ? hour : own),
    ]),
  );
  /** Expects that the processes in turn refuse every operation of the credentials that ended after this time. */
  const expectRefused = async (ended: readonly Case[]) => {
    for (const [index, it] of ended.entries()) {
      const permitted = protectedOperations.filter(permits[it.kind]).map(({ operationId }) => operationId);
      const refused = await callAll(index % 2 ? two : one, it, it.person, codes[it.kind]);
      expect([it.name, refused]).toEqual([it.name, permitted]);
    }
  };
  // A token does not end with the erasure of its person: it may not name the person any more.
  const withoutPerson = all.filter(({ end, kind }) => end === 'person erased' && /session|oauth/.test(kind));
  const endsAfter = (seconds: number) => all.filter((it) => it.seconds === seconds && !withoutPerson.includes(it));

  expect(await observe()).toEqual(expected(() => false));
  for (const it of new Map(all.map((it) => [it.kind, it])).values()) {
    const person = it.kind === 'session' ? it.person : 'nobody';
    expect([it.name, await callAll(one, it, person, ...Object.values(codes), 'insufficient_scope')]).toEqual([
      it.name,
      [],
    ]);
  }
  for (const it of all) await endings[it.end]?.(it);
  // A process caches a credential for a second.
  await expect.poll(observe, { interval: 500 }).toEqual(expected(({ seconds }) => seconds === 0));
  await expectRefused(endsAfter(0));
  for (const it of withoutPerson)
    for (const { url } of [one, two])
      for (const { title, ...request } of listNaming(it, it.person, clock.at()))
        expect([it.name, title, await (await fetch(url + request.path, request)).text()]).toEqual([
          ...[it.name, title, expect.stringContaining('"invalid_token"')],
        ]);
  for (const seconds of [halfHour, hour, day, own]) {
    for (const nowMs of [startMs + seconds * 1000 - 1, startMs + seconds * 1000]) {
      clock.nowMs = nowMs;
      const isEnded = (it: Case) => startMs + it.seconds * 1000 <= nowMs;
      expect(await observe()).toEqual(expected(isEnded));
      const isKnown = all.filter(({ end }) => end !== 'person erased by 1.0.0');
      const listed = (await keys.listMade(nowMs, account)).filter(({ id }) =>
        isKnown.some(({ row }) => row?.id === id),
      );
      expect(listed).toHaveLength(all.filter((it) => it.row && !isEnded(it)).length);
    }
    await expectRefused(endsAfter(seconds));
  }
});
