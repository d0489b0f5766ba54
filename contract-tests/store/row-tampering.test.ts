/** Changes of rows by somebody who can write to the database and does not have SECRETS_KEY. */
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { allow, setUp } from '../../testkit/consents.js';
import { databaseKind } from '../../testkit/databases.js';
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

const tamperings: ReadonlyArray<readonly [what: string, fault: RegExp, change: Change]> = [
  [
    'the link of an erased person that is put back from before the erasure',
    /^link of \w{32}: it was put back after the erasure/,
    ({ knex, earlier: { link } }) =>
      knex('access_subjects')
        .where({ pseudonym: (link as { pseudonym: string }).pseudonym })
        .update(link),
  ],
  [
    'a withdrawal of consent that is edited into a grant',
    /^consents: 1 rows were changed/,
    async ({ knex, accountId }) => {
      const mine = { account_id: accountId, subject_id: 'p-1', version: 2 };
      const { body } = await knex('consents').where(mine).first();
      expect(withGrant(body)).not.toBe(body);
      await knex('consents')
        .where(mine)
        .update({ body: withGrant(body) });
    },
  ],
  [
    'a withdrawal that is edited into a grant where readings use it',
    /^subjects: the consent of \S+\/p-1 is not the recorded one/,
    async ({ knex, accountId }) => {
      const mine = { account_id: accountId, subject_id: 'p-1' };
      const { body } = await knex('subjects').where(mine).first();
      expect(withGrant(body)).not.toBe(body);
      await knex('subjects')
        .where(mine)
        .update({ body: withGrant(body) });
    },
  ],
  [
    'a withdrawal that is removed',
    /^consents: 1 rows were removed/,
    ({ knex, accountId }) => knex('consents').where({ account_id: accountId, version: 2 }).delete(),
  ],
  [
    'the consent of an erased person that is put back',
    /^consents: 1 rows were put back/,
    ({ knex, earlier: { consent } }) => knex('consents').insert(consent),
  ],
  [
    'a consent that is copied to another person',
    /^consents: 1 rows were changed or added/,
    ({ knex, earlier: { consent } }) => knex('consents').insert({ ...consent, subject_id: 'p-3' }),
  ],
  [
    'all rows of key_audit that are removed',
    /^key_audit: \d+ rows were removed/,
    ({ knex }) => knex('key_audit').delete(),
  ],
  [
    'the actor of an administrative change that is edited',
    /^key_audit: 1 rows were changed/,
    async ({ knex, keyId }) => knex('key_audit').where({ key_id: keyId, action: 'revoke' }).update({ actor: 'other' }),
  ],
  [
    "a key's account that is changed",
    /^api_keys: 1 rows were changed/,
    ({ knex, keyId }) => knex('api_keys').where({ key_id: keyId }).update({ account_id: 'acc_other' }),
  ],
  [
    "a key's scopes that are changed",
    /^api_keys: 1 rows were changed/,
    ({ knex, keyId }) => knex('api_keys').where({ key_id: keyId }).update({ scopes: null }),
  ],
  [
    'a revoked key that is put back from before its revocation',
    /^api_keys: 1 rows were put back/,
    ({ knex, keyId, earlier: { key } }) => knex('api_keys').where({ key_id: keyId }).update(key),
  ],
  [
    'a key that is added',
    /^api_keys: 1 rows have no code/,
    ({ knex, earlier: { key } }) =>
      knex('api_keys').insert({ ...key, key_id: 'key_added', key_hash: 'a'.repeat(64), code: null }),
  ],
  [
    'a public key that is added to the receipt keys',
    /^receipt_keys: 1 rows have no code/,
    ({ knex }) =>
      knex('receipt_keys').insert({ key_id: 'rk_added', public_key: 'a'.repeat(43), created_at_ms: Date.now() }),
  ],
  [
    'a public key of the receipt keys that is replaced',
    /^receipt_keys: 1 rows were changed/,
    async ({ knex }) => {
      const [{ key_id }] = await knex('receipt_keys').limit(1);
      await knex('receipt_keys')
        .where({ key_id })
        .update({ public_key: 'a'.repeat(43) });
    },
  ],
  [
    'a source key that is given to another person',
    /^source_keys: 1 rows were changed/,
    ({ knex }) => knex('source_keys').where({ subject_id: 'p-1' }).update({ subject_id: 'p-3' }),
  ],
  [
    'a source key that is prolonged',
    /^source_keys: 1 rows were changed/,
    ({ knex }) => knex('source_keys').where({ subject_id: 'p-1' }).increment('expires_at_ms', 1_000),
  ],
  ['erased ids that are removed', /^erased_ids: \d+ rows were removed/, ({ knex }) => knex('erased_ids').delete()],
  [
    'the time of an erasure that is changed',
    /^erased_ids: \d+ rows were changed/,
    ({ knex }) => knex('erased_ids').update({ erased_at_ms: 1 }),
  ],
  [
    'codes that are removed',
    /^key_audit: \d+ rows have no code/,
    ({ knex }) => knex('key_audit').update({ code: null }),
  ],
];

let stored: Promise<Stored> | undefined;

test('rows that only the service changed have no fault', async () => {
  const service = await startTestService();
  await (stored ??= store(service));
  expect(await audit(service)).toEqual([]);
});

test.each(tamperings)('%s: detected', async (_, fault, change) => {
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

test('a trigger that drops new entries is named, and after its removal their gap is', async () => {
  const service = await startTestService();
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
