import type { Schema } from '../../src/contract/contract.js';
import { revokeKey, rotateKey } from '../../src/keys/manage.js';
import { createSourceKey } from '../../src/keys/source-keys.js';
import { allScopes } from '../../src/keys/scopes.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { openPage, pageEnv, send } from '../../testkit/person-link.js';
import { createHubSecret, heartRateEvent, signAsHub } from '../../testkit/phone.js';
import { client, type TestService } from '../../testkit/service.js';
import { bearer } from '../../testkit/tokens.js';
import { expect, test } from '../../testkit/test.js';
import { startTwoServices } from '../../testkit/two-services.js';

const [halfHour, hour, day] = [1_800, 3_600, 86_400];
/** The own end of what is stored: after the end of a rotated key. */
const own = 2 * day;
const ofKey = { 'key expires': halfHour, 'key revoked': 0, 'key rotated': own, 'key rotated now': own };
const ofPerson = { alone: own, 'person erased': 0, removed: 0 };

/** The ends that each kind of credential can have, and after how many seconds the credential ends then. */
const ends: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'API key': { ...ofKey, 'key rotated': day, 'key rotated now': 0 },
  'session token': { ...ofKey, alone: hour, 'key rotated': hour, 'key rotated now': 0, 'person erased': 0 },
  'source key': { ...ofKey, ...ofPerson },
  'source key of the command line': ofPerson,
  'source key of a link': { ...ofKey, ...ofPerson, 'link removed': 0, 'link expires': own },
  'hub connection': { ...ofKey, alone: own, removed: 0 },
  link: { ...ofKey, ...ofPerson },
};

/** A created credential. */
interface Made {
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

type Create = (one: TestService, key: string, person: string, end: string) => Promise<Made>;

/** Uses a source key. */
const post = (key: string) => async (service: TestService) =>
  (await client(service.url, key, service.clock).post('/v1/sources/generic', { heart_rate: 72 })).status;

/** Creates each kind of credential with an API key of the account, for a person. */
const create: Readonly<Record<string, Create>> = {
  async 'API key'(_one, key) {
    return {
      use: async ({ request }) => (await request('/v1/source-keys', { headers: { 'X-Service-Key': key } })).status,
    };
  },
  async 'session token'(one, _key, subject_id) {
    // A person without data cannot be erased.
    await one.read({ session_id: subject_id, subject_id, heart_rate: 72 });
    const { body } = await one.post('/v1/tokens', {
      session_id: 's1',
      subject_id,
      scopes: ['read'],
      expires_in: hour,
    });
    const use = async ({ request }: TestService) =>
      (await request(`/v1/state?subject_id=${subject_id}`, { headers: bearer(body.token) })).status;
    return { use, expiresAt: body.expires_at };
  },
  async 'source key'(one, _key, subject_id) {
    const { body } = await one.post('/v1/source-keys', { subject_id, source: 'generic', ...days });
    return { use: post(body.key), row: body, expiresAt: body.expires_at };
  },
  async 'source key of the command line'({ store, accountId, clock }, _key, subject_id) {
    const maker = { accountId, keyId: null, actor: 'test' };
    const { key = '', row } = await store
      .use(createKeyTable)
      .transact((writer) => createSourceKey(writer, maker, { subject_id, source: 'generic', ...days }, clock.nowMs));
    return { use: post(key), row: { id: row.sourceKeyId } as Schema<'SourceKey'> };
  },
  async 'source key of a link'(one, _key, person, end) {
    const expires_in_days = end === 'link expires' ? 1 : 90;
    const page = await openPage(one, { grants: ['connect'], expires_in_days }, person);
    const { body } = await page.write('POST', 'v1/source-keys', { source: 'generic', ...days });
    return { use: post(body.key), row: body, linkId: page.link.id, expiresAt: body.expires_at };
  },
  async 'hub connection'(one) {
    const signing_secret = createHubSecret('terra');
    const { body } = await one.post('/v1/source-keys', { source: 'terra', signing_secret, ...days });
    const use = async ({ url, clock }: TestService) => {
      const text = JSON.stringify(heartRateEvent('terra', 'nobody', [[clock.nowMs, 72]]));
      const headers = { ...json, ...signAsHub('terra', signing_secret, text, Math.floor(clock.nowMs / 1000)) };
      return (await fetch(`${url}/v1/sources/terra/${body.id}`, { method: 'POST', body: text, headers })).status;
    };
    return { use, row: body, expiresAt: body.expires_at };
  },
  async link(one, _key, person) {
    const { link, headers } = await openPage(one, days, person);
    const use = async (service: TestService) => (await send(service, 'v1/subjects/me', { headers })).status;
    return { use, row: link, linkId: link.id, expiresAt: link.expires_at };
  },
};

test('every credential ends in time on every process, with its API key, and is listed with this end', async () => {
  const { one, two, clock } = await startTwoServices(pageEnv);
  clock.nowMs = Math.ceil(clock.nowMs / 1000) * 1000;
  const [startMs, keys] = [clock.nowMs, one.store.use(createKeyTable)];
  const account = (await keys.listAccounts()).find(({ accountId }) => accountId === one.accountId)?.name ?? '';
  const cases = Object.entries(ends).flatMap(([kind, own]) =>
    Object.entries(own).map(([end, seconds], index) => ({ kind, end, name: `${kind}: ${end}`, seconds, index })),
  );
  const all = await Promise.all(
    cases.map(async ({ kind, end, ...it }) => {
      const expiresAtMs = end === 'key expires' ? startMs + halfHour * 1000 : undefined;
      const { key, keyId } = await makeAccount(one, account, 'enterprise', { scopes: allScopes, expiresAtMs });
      const person = `${kind}-${it.index}`.replaceAll(' ', '-');
      const made = await create[kind]?.({ ...one, ...client(one.url, key, clock) }, key, person, end);
      if (!made) throw new Error(`no way to create: ${kind}`);
      return { ...it, ...made, kind, end, keyId, person };
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
    removed: ({ row, person }) =>
      remove(row && 'opened_at' in row ? `/v1/subjects/${person}/links/${row.id}` : `/v1/source-keys/${row?.id}`),
    'link removed': ({ person, linkId }) => remove(`/v1/subjects/${person}/links/${linkId}`),
  };

  const list = client(two.url, one.key, clock).request;
  /** Returns whether each process accepts each credential, and the end that its list states. */
  const observe = async () =>
    Promise.all(
      all.map(async ({ name, kind, person, row, use }) => {
        const accepted = [(await use(one)) !== 401, (await use(two)) !== 401];
        const path = kind === 'hub connection' ? '/v1/source-keys' : `/v1/source-keys?subject_id=${person}`;
        const { body } = await list(kind === 'link' ? `/v1/subjects/${person}/links` : path);
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
    stated.map(({ name, kind, end, seconds }) => [
      name,
      at(end === 'key expires' ? seconds : kind === 'session token' ? hour : own),
    ]),
  );
  expect(await observe()).toEqual(expected(() => false));
  for (const it of all) await endings[it.end]?.(it);
  // A process caches a credential for a second.
  await expect.poll(observe, { interval: 500 }).toEqual(expected(({ seconds }) => seconds === 0));
  for (const seconds of [halfHour, hour, day, own])
    for (const nowMs of [startMs + seconds * 1000 - 1, startMs + seconds * 1000]) {
      clock.nowMs = nowMs;
      const isEnded = (it: Case) => startMs + it.seconds * 1000 <= nowMs;
      expect(await observe()).toEqual(expected(isEnded));
      const listed = (await keys.listMade(nowMs, account)).filter(({ id }) => all.some(({ row }) => row?.id === id));
      expect(listed).toHaveLength(all.filter((it) => it.row && !isEnded(it)).length);
    }
});
