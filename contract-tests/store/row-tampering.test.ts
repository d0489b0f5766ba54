import { expect, test } from '../../testkit/test.js';
/** Changes of rows by somebody who can write to the database and does not have SECRETS_KEY. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { runHere } from '../../testkit/command-line.js';
import { allow, setUp } from '../../testkit/consents.js';
import { databaseKind } from '../../testkit/databases.js';
import { openPage, pageEnv } from '../../testkit/person-link.js';
import { connectPhone } from '../../testkit/phone.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';

interface Stored {
  readonly knex: Knex;
  readonly accountId: string;
  readonly keyId: string;
  /** The link and the consent of a person who was erased later, and the earlier row of a key that was revoked later. */
  readonly earlier: { readonly link: object; readonly consent: object; readonly key: object };
}

const coded = [
  ...['consents', 'api_keys', 'key_audit', 'receipt_keys', 'erased_ids', 'access_subjects', 'subjects'],
  'source_keys',
];

async function audit({ database }: Pick<TestService, 'database'>): Promise<string[]> {
  const { stdout } = await runHere(['audit', '--verify', '--json'], { DATABASE_URL: database.url });
  return JSON.parse(stdout).faults;
}

/** Stores consents, a withdrawal, keys, accesses and an erasure over HTTP and with commands. */
async function store(service: TestService): Promise<Stored> {
  const knex = openKnex(service.database.url);
  const { accountId, clock } = await setUp(service, { consent: 'enforce' });
  const run = (...args: string[]) => runHere(args, { DATABASE_URL: service.database.url });
  const account = (await knex('accounts').where({ account_id: accountId }).first()).name;
  await run('keys', 'create', '--account', account, '--scopes', 'read');
  const key = await knex('api_keys').where({ account_id: accountId, scopes: 'read' }).first();
  await run('keys', 'revoke', key.key_id);
  for (const person of ['p-1', 'p-2'])
    await run('keys', 'create', '--account', account, '--subject', person, '--source', 'generic');
  for (const person of ['p-1', 'p-2']) {
    await allow(service, person, ['cardiovascular']);
    await service.read({ session_id: person, subject_id: person, heart_rate: 70 });
    await service.request(`/v1/subjects/${person}`);
  }
  const mine = { account_id: accountId, subject_id: 'p-2' };
  await until('the link', async () => (await knex('access_subjects').where(mine).first()) !== undefined);
  const link = await knex('access_subjects').where(mine).first();
  const consent = await knex('consents').where(mine).first();
  clock.advance(1);
  await allow(service, 'p-1', []);
  await service.request('/v1/subjects/p-2', { method: 'DELETE' });
  return { knex, accountId, keyId: key.key_id, earlier: { link, consent, key } };
}

const grant = { categories: ['cardiovascular'] };
const withGrant = (body: string) => body.replace('"categories":[]', JSON.stringify(grant).slice(1, -1));

type Change = (stored: Stored) => Promise<unknown>;

/** Edits the withdrawal of p-1 in a table into a grant. */
const toGrant =
  (table: string, version: object): Change =>
  async ({ knex, accountId }) => {
    const mine = { account_id: accountId, subject_id: 'p-1', ...version };
    const { body } = await knex(table).where(mine).first();
    expect(withGrant(body)).not.toBe(body);
    await knex(table)
      .where(mine)
      .update({ body: withGrant(body) });
  };

/** By the start of the fault: what is changed. */
const tamperings: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  [String.raw`link of \w{32}: it was put back after the erasure`]: {
    'the link of an erased person that is put back from before the erasure': ({ knex, earlier: { link } }) =>
      knex('access_subjects')
        .where({ pseudonym: (link as { pseudonym: string }).pseudonym })
        .update(link),
  },
  'consents: 1 rows were changed': {
    'a withdrawal of consent that is edited into a grant': toGrant('consents', { version: 2 }),
  },
  [String.raw`subjects: the consent of \S+\/p-1 is not the recorded one`]: {
    'a withdrawal that is edited into a grant where readings use it': toGrant('subjects', {}),
  },
  'consents: 1 rows were removed': {
    'a withdrawal that is removed': ({ knex, accountId }) =>
      knex('consents').where({ account_id: accountId, version: 2 }).delete(),
  },
  'consents: 1 rows were put back': {
    'the consent of an erased person that is put back': ({ knex, earlier: { consent } }) =>
      knex('consents').insert(consent),
  },
  'consents: 1 rows were changed or added': {
    'a consent that is copied to another person': ({ knex, earlier: { consent } }) =>
      knex('consents').insert({ ...consent, subject_id: 'p-3' }),
  },
  [String.raw`key_audit: \d+ rows were removed`]: {
    'all rows of key_audit that are removed': ({ knex }) => knex('key_audit').delete(),
  },
  'key_audit: 1 rows were changed': {
    'the actor of an administrative change that is edited': ({ knex, keyId }) =>
      knex('key_audit').where({ key_id: keyId, action: 'revoke' }).update({ actor: 'other' }),
  },
  'api_keys: 1 rows were changed': {
    "a key's account that is changed": ({ knex, keyId }) =>
      knex('api_keys').where({ key_id: keyId }).update({ account_id: 'acc_other' }),
    "a key's scopes that are changed": ({ knex, keyId }) =>
      knex('api_keys').where({ key_id: keyId }).update({ scopes: null }),
  },
  'api_keys: 1 rows were put back': {
    'a revoked key that is put back from before its revocation': ({ knex, keyId, earlier: { key } }) =>
      knex('api_keys').where({ key_id: keyId }).update(key),
  },
  'api_keys: 1 rows have no code': {
    'a key that is added': ({ knex, earlier: { key } }) =>
      knex('api_keys').insert({ ...key, key_id: 'key_added', key_hash: 'a'.repeat(64), code: null }),
  },
  'receipt_keys: 1 rows have no code': {
    'a public key that is added to the receipt keys': ({ knex }) =>
      knex('receipt_keys').insert({ key_id: 'rk_added', public_key: 'a'.repeat(43), created_at_ms: Date.now() }),
  },
  'receipt_keys: 1 rows were changed': {
    'a public key of the receipt keys that is replaced': async ({ knex }) => {
      const [{ key_id }] = await knex('receipt_keys').limit(1);
      await knex('receipt_keys')
        .where({ key_id })
        .update({ public_key: 'a'.repeat(43) });
    },
  },
  'source_keys: 1 rows were changed': {
    'a source key that is given to another person': ({ knex }) =>
      knex('source_keys').where({ subject_id: 'p-1' }).update({ subject_id: 'p-3' }),
    'a source key that is prolonged': ({ knex }) =>
      knex('source_keys').where({ subject_id: 'p-1' }).increment('expires_at_ms', 1_000),
  },
  [String.raw`erased_ids: \d+ rows were removed`]: {
    'erased ids that are removed': ({ knex }) => knex('erased_ids').delete(),
  },
  [String.raw`erased_ids: \d+ rows were changed`]: {
    'the time of an erasure that is changed': ({ knex }) => knex('erased_ids').update({ erased_at_ms: 1 }),
  },
  [String.raw`key_audit: \d+ rows have no code`]: {
    'codes that are removed': ({ knex }) => knex('key_audit').update({ code: null }),
  },
};
const all = Object.entries(tamperings).flatMap(([fault, changes]) =>
  Object.entries(changes).map(([what, change]) => [what, new RegExp(`^${fault}`), change] as const),
);

let stored: Promise<Stored> | undefined;

test('rows that only the service changed have no fault', async ({ service }) => {
  await (stored ??= store(service));
  expect(await audit(service)).toEqual([]);
});

test.each(all)('%s: detected', async (_, fault, change) => {
  const service = await startTestService();
  const { knex: __, ...rest } = await (stored ??= store(service));
  const knex = openKnex(service.database.url);
  const before = await Promise.all(coded.map(async (table) => [table, await knex(table)] as const));
  await change({ knex, ...rest });
  expect(await audit(service)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
  for (const [table, rows] of before) {
    await knex(table).delete();
    for (const row of rows) await knex(table).insert(row);
  }
  expect(await audit(service)).toEqual([]);
});

test('a row that was put back and accepted may be removed by the service afterwards', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  const knex = openKnex(service.database.url);
  const person = { account_id: service.accountId, subject_id: 'put-back' };
  const erase = () => service.request('/v1/subjects/put-back', { method: 'DELETE' });
  const grantAndRead = async () => {
    await allow(service, 'put-back', ['cardiovascular']);
    await service.read({ session_id: 'put-back', subject_id: 'put-back', heart_rate: 70 });
  };
  await grantAndRead();
  const row = await knex('consents').where(person).first();
  await erase();
  await knex('consents').insert(row);
  expect(await audit(service)).toEqual([expect.stringMatching('^consents: 1 rows were put back')]);
  const accept = ['audit', '--accept', '--reason', 'restored'];
  expect(await runHere(accept, { DATABASE_URL: service.database.url })).toMatchObject({ code: 0 });
  expect(await audit(service)).toEqual([]);
  service.clock.advance(1);
  await grantAndRead();
  await erase();
  expect(await audit(service)).toEqual([]);
});

test('a receipt key, a source key and a link without a valid code are refused', async () => {
  const service = await startTestService({ env: pageEnv });
  const knex = openKnex(service.database.url);
  const [phone, page] = [await connectPhone(service, 'generic'), await openPage(service)];
  await service.read({ subject_id: 'erased', heart_rate: 70 });
  await service.request('/v1/subjects/erased', { method: 'DELETE' });
  const published = async () =>
    (await service.request('/v1/receipt-keys')).body.keys.map((it: { kid: string }) => it.kid);
  const answers = async () => [
    (await phone.post({ heart_rate: 72 })).status,
    (await page.read('v1/state?subject_id=anna')).status,
  ];
  const [kid] = await published();
  const [x] = await knex('receipt_keys').pluck('public_key');
  await knex('receipt_keys').insert({
    key_id: 'rk_forged',
    public_key: 'x'.repeat(43),
    created_at_ms: 1,
    code: 'a'.repeat(32),
  });
  expect([await published(), await answers()]).toEqual([[kid], [200, 404]]);
  await knex('receipt_keys')
    .where({ key_id: kid })
    .update({ public_key: 'x'.repeat(43) });
  for (const table of ['source_keys', 'person_links']) await knex(table).increment('expires_at_ms', 86_400_000);
  await sleep(1_100);
  expect([await published(), await answers()]).toEqual([[], [401, 401]]);
  // The next receipt has a key that is published.
  await service.read({ subject_id: 'erased', heart_rate: 70 });
  const { body } = await service.request('/v1/subjects/erased', { method: 'DELETE' });
  const [next] = await published();
  expect(JSON.parse(Buffer.from(body.receipt.split('.')[0], 'base64url').toString()).kid).toBe(next);
  // With their rows as they were, they are accepted again.
  await knex('receipt_keys').where({ key_id: kid }).update({ public_key: x });
  for (const table of ['source_keys', 'person_links']) await knex(table).decrement('expires_at_ms', 86_400_000);
  await sleep(1_100);
  expect([[...(await published())].sort(), await answers()]).toEqual([[kid, next].sort(), [200, 404]]);
});

test('a trigger that drops new entries is named, and after its removal their gap is', async ({ service }) => {
  const knex = openKnex(service.database.url);
  const drop = (table: string) =>
    databaseKind === 'sqlite'
      ? `create trigger drop_${table} before insert on ${table} begin select raise(ignore); end`
      : `create trigger drop_${table} before insert on ${table} for each row set new.chain_id = 'dropped'`;
  await setUp(service, { consent: 'record' });
  await allow(service, 'p-4', ['cardiovascular']);
  for (const table of ['access_entries', 'access_chains']) await knex.raw(drop(table));
  await allow(service, 'p-5', ['cardiovascular']);
  const faults = await audit(service);
  expect(faults).toContain('trigger drop_access_entries of access_entries: the service uses none, so drop it');
  for (const table of ['access_entries', 'access_chains']) await knex.raw(`drop trigger drop_${table}`);
  await allow(service, 'p-6', ['cardiovascular']);
  expect(await audit(service)).toEqual(expect.arrayContaining([expect.stringMatching(/^chain \w+.*(removed|place)/)]));
});
