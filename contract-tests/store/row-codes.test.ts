/** Codes of rows over the life of a deployment: first start, way back to 1.0.0, new SECRETS_KEY, restore, crash, days. */
import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { createEvidence } from '../../src/access-record/chain.js';
import { hashKey } from '../../src/keys/identify.js';
import { runHere, untilClosed } from '../../testkit/command-line.js';
import { allow, decide } from '../../testkit/consents.js';
import { databaseKind, type TestDatabase } from '../../testkit/databases.js';
import { client, Clock, realTime, startTestService, type TestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import released from './schema-1.0.0.json' with { type: 'json' };

const key = `sk_${'k'.repeat(32)}`;

interface Opened {
  readonly database: TestDatabase;
  readonly knex: Knex;
  /** Runs a command with these variables. */
  run(args: readonly string[], env?: Record<string, string>): ReturnType<typeof runHere>;
  /** Returns the faults that `audit --verify` names. */
  verify(env?: Record<string, string>): Promise<string[]>;
}

async function open(): Promise<Opened> {
  const database = await temporaryDatabase();
  const knex = openKnex(database.url);
  const run: Opened['run'] = (args, env) => runHere(args, { DATABASE_URL: database.url, ...env });
  const verify = async (env = {}) => JSON.parse((await run(['audit', '--verify', '--json'], env)).stdout).faults;
  return { database, knex, run, verify };
}

/** Adds rows as version 1.0.0 does, without codes. `n` distinguishes them. */
async function writeAsReleased(knex: Knex, n: number): Promise<void> {
  const [id, at] = [`key_${n}`, Date.now() - 1_000 + n];
  const row = { account_id: 'acc_1', key_id: id, display_prefix: 'sk_kkkk', created_at_ms: at };
  await knex('api_keys').insert({ ...row, key_hash: n === 1 ? hashKey(key) : String(n).repeat(64) });
  const entry = { account_id: 'acc_1', entry_id: `aud_${n}`, at_ms: at, action: 'create', key_id: id, actor: 'a@b' };
  await knex('key_audit').insert({ ...entry, details: '{}' });
  const digest = String(n).repeat(32);
  await knex('erased_ids').insert({ account_id: 'acc_1', digest, erased_at_ms: at });
}

/** Creates a database of 1.0.0 with an account and rows. */
async function openReleased(): Promise<Opened> {
  const opened = await open();
  const { knex } = opened;
  for (const statement of released[databaseKind]) await knex.raw(statement);
  await knex('schema_migrations').insert({ name: 'initial', completed_at_ms: 1, breaks_earlier: 0 });
  await knex('accounts').insert({ account_id: 'acc_1', name: 'acme', tier: 'enterprise', created_at_ms: 1 });
  await knex('accounts').update({ settings: '{"v":1,"consent":"enforce"}' });
  for (const n of [1, 2, 3]) await writeAsReleased(knex, n);
  return opened;
}

/** Starts the service with the time of the machine, and stops it. */
async function startOnce({ database }: Pick<Opened, 'database'>, env: Record<string, string> = {}): Promise<void> {
  await (await startOn(database, env)).close();
}

async function startOn(database: TestDatabase, env: Record<string, string> = {}): Promise<TestService> {
  const clock = realTime();
  const service = await startTestService({ database, env, clock });
  return { ...service, ...client(service.url, key, clock), accountId: 'acc_1' };
}

test('the first start codes the rows of 1.0.0 and enters their number, and a later removal of one is detected', async () => {
  const opened = await openReleased();
  const { knex, verify } = opened;
  await startOnce(opened);
  const counts = await knex('access_entries').where({ action: 'code' }).orderBy('operation');
  expect(counts.map((it) => [it.operation, it.key_id])).toEqual([
    ['api_keys', '3'],
    ['erased_ids', '3'],
    ['key_audit', '3'],
  ]);
  expect(await verify()).toEqual([]);
  await startOnce(opened);
  expect(await knex('access_entries').where({ action: 'coded' })).toHaveLength(1);
  expect(await verify()).toEqual([]);
  await knex('key_audit').where({ entry_id: 'aud_2' }).delete();
  expect(await verify()).toEqual(['key_audit: 1 rows from before the first start were removed or changed']);
});

test.each([
  ['removed', undefined],
  ['replaced', { check_value: 'a'.repeat(64), since_ms: Date.now() }],
])('a changed row gets no code from a start after the mark of the first codes was %s', async (kind, mark) => {
  const opened = await openReleased();
  const { knex, verify } = opened;
  await startOnce(opened);
  await knex('api_keys').where({ key_id: 'key_2' }).update({ scopes: 'read', code: null });
  const marks = () => knex('secrets_keys').where({ name: 'codes' });
  await (mark ? marks().update(mark) : marks().delete());
  await startOnce(opened);
  expect(await knex('api_keys').where({ key_id: 'key_2' }).pluck('code')).toEqual([null]);
  const faults = await verify();
  expect(faults).toContainEqual(expect.stringMatching(/^api_keys: 1 rows have no code: .*key_2$/));
  if (kind === 'removed')
    expect(faults).toContainEqual(expect.stringMatching(/^the mark of the first codes was removed/));
});

test('the first coding goes on after a crash, for a day', async () => {
  const opened = await openReleased();
  const { knex } = opened;
  const key = 'a'.repeat(64);
  await startOnce(opened, { SECRETS_KEY: key });
  const interrupt = async (sinceMs: number) => {
    const [code = ''] = createEvidence([key], undefined).sign(`first codes since ${sinceMs}`);
    await knex('secrets_keys')
      .where({ name: 'codes' })
      .update({ check_value: code + code, since_ms: sinceMs });
    await knex('api_keys').where({ key_id: 'key_2' }).update({ code: null });
    await startOnce(opened, { SECRETS_KEY: key });
    return (await knex('api_keys').whereNull('code')).length;
  };
  expect([await interrupt(Date.now() - 1_000), await interrupt(Date.now() - 86_400_001)]).toEqual([0, 1]);
});

test('a consent that 1.0.0 granted is obeyed once it is accepted with a reason, and `doctor` names its table before', async () => {
  const opened = await openReleased();
  const { knex, run, verify } = opened;
  const service = await startOn(opened.database);
  await allow(service, 'p-1', ['cardiovascular']);
  for (const table of ['consents', 'subjects']) {
    const stored = await knex(table).first();
    await knex(table).insert({ ...stored, subject_id: 'p/1', ...(table === 'consents' && { code: null }) });
  }
  const read = async () => (await service.ingest({ session_id: 's', subject_id: 'p/1', heart_rate: 70 })).status;
  expect(await read()).toBe(403);
  const rows = async () =>
    JSON.parse((await run(['doctor', '--json'])).stdout).filter((it: { what: string }) => /^table /.test(it.what));
  expect(await rows()).toMatchObject([{ what: 'table consents', found: '1 rows without a valid code', ok: false }]);
  const row = ['consents', 'acc_1/p/1/1'];
  const reason = ['--reason', 'granted on paper, Zürich'];
  for (const wrong of [
    row,
    ['consents', ...reason],
    ['consents', 'acc_1/p/1/2', ...reason],
    ['webhooks', 'acc_1/w', ...reason],
  ])
    expect([wrong, (await run(['audit', '--accept', ...wrong])).code]).toEqual([wrong, 1]);
  expect(await read()).toBe(403);
  expect(await run(['audit', '--accept', ...row, ...reason])).toMatchObject({ code: 0 });
  expect(await read()).toBe(200);
  expect(await rows()).toEqual([]);
  expect((await run(['audit', '--accept', ...row, ...reason])).code).toBe(1);
  const [{ action, details }] = await knex('key_audit').orderBy('at_ms', 'desc');
  expect([action, JSON.parse(details)]).toEqual(['accept', { table: 'consents', reason: 'granted on paper, Zürich' }]);
  await service.close();
  expect(await verify()).toEqual([]);
});

test('1.0.0 reads and writes the database on the way back, its rows are named, and `audit --accept` accepts them', async () => {
  const opened = await openReleased();
  const { knex, run, verify } = opened;
  const service = await startOn(opened.database);
  await allow(service, 'p-1', ['cardiovascular']);
  await service.close();
  await writeAsReleased(knex, 4);
  // Statements of 1.0.0: an erasure, a revocation and a repeated erasure.
  await knex('consents').delete();
  await knex('subjects').delete();
  await knex('api_keys').where({ key_id: 'key_3' }).update({ revoked_at_ms: 5 });
  await knex('erased_ids')
    .where({ digest: '3'.repeat(32) })
    .update({ erased_at_ms: Date.now() });
  expect(await verify()).toEqual([
    'api_keys: 1 rows have no code: not the service wrote them, or version 1.0.0, or a command without SECRETS_KEY: acc_1/key_4',
    'api_keys: 1 rows were changed or added, or their key is not in SECRETS_KEY: acc_1/key_3',
    expect.stringMatching(/^key_audit: 1 rows have no code: .*aud_4$/),
    expect.stringMatching(/^erased_ids: 1 rows have no code: .*4444$/),
    expect.stringMatching(/^erased_ids: 1 rows were changed or added, .*3333$/),
    expect.stringMatching(/^consents: 1 rows were removed or changed, their codes were: \w{32}$/),
  ]);
  expect(await run(['audit', '--accept', '--reason', 'written by 1.0.0'])).toMatchObject({ code: 0 });
  expect(await verify()).toEqual([]);
  await startOnce(opened);
  expect(await verify()).toEqual([]);
  await knex('key_audit').where({ entry_id: 'aud_4' }).delete();
  expect(await verify()).toEqual(['key_audit: 1 rows from before the first start were removed or changed']);
});

test('a change by the service of a row that was changed before does not make its code valid', async () => {
  const opened = await openReleased();
  const { knex, run, verify } = opened;
  await startOnce(opened);
  await knex('api_keys').where({ key_id: 'key_2' }).update({ networks: '10.0.0.0/8' });
  expect(await run(['keys', 'revoke', 'key_2'])).toMatchObject({ code: 0 });
  expect(await verify()).toEqual([expect.stringMatching(/^api_keys: 1 rows were changed .*key_2$/)]);
});

test('a new SECRETS_KEY codes the rows again, so that the earlier key is no longer required for them', async () => {
  const opened = await openReleased();
  const [older, newer] = ['a'.repeat(64), 'b'.repeat(64)];
  const service = await startOn(opened.database, { SECRETS_KEY: older });
  await allow(service, 'p-1', ['cardiovascular']);
  await service.close();
  const both = { SECRETS_KEY: `${newer},${older}` };
  await startOnce(opened, both);
  expect(await opened.verify(both)).toEqual([]);
  // Only the chains of the earlier key require it.
  for (const fault of await opened.verify({ SECRETS_KEY: newer }))
    expect(fault).toMatch(/^chain .*SECRETS_KEY=NEW,OLD/);
  const changed = await opened.knex('consents').update({ recorded_at_ms: 1 });
  expect([changed, await opened.verify(both)]).toEqual([
    1,
    [expect.stringMatching(/^consents: 1 rows were changed/), expect.stringMatching(/^consents: 1 rows were removed/)],
  ]);
});

test('a restored backup keeps valid codes, also after it has erased people again', async () => {
  const opened = await openReleased();
  const { database, run, verify } = opened;
  const file = join(await temporaryFolder(), 'copy');
  const service = await startOn(database);
  for (const person of ['p-1', 'p-2']) await allow(service, person, ['cardiovascular']);
  expect(await run(['backup', file])).toMatchObject({ code: 0 });
  await service.request('/v1/subjects/p-1', { method: 'DELETE' });
  await allow(service, 'p-3', ['cardiovascular']);
  await service.close();
  await opened.knex.destroy();
  await untilClosed(database.url);
  expect(await run(['restore', file, '--replace'])).toMatchObject({ code: 0 });
  expect(await verify()).toEqual([]);
  await startOnce(opened);
  expect(await verify()).toEqual([]);
  expect(await openKnex(database.url)('consents').pluck('subject_id')).toEqual(['p-2']);
});

test('a consent whose entry cannot be stored is not stored either, and the chain continues afterwards', async () => {
  const opened = await openReleased();
  const { knex, verify } = opened;
  const service = await startOn(opened.database);
  await allow(service, 'p-1', ['cardiovascular']);
  const fail = databaseKind === 'sqlite' ? `begin select raise(abort, 'full'); end` : `signal sqlstate '45000'`;
  await knex.raw(`create trigger failing before insert on access_entries for each row ${fail}`);
  expect((await decide(service, 'p-2')).status).toBe(500);
  await knex.raw('drop trigger failing');
  expect(await knex('consents').pluck('subject_id')).toEqual(['p-1']);
  await allow(service, 'p-3', ['cardiovascular']);
  await service.close();
  expect(await verify()).toEqual([]);
});

test('consents, keys and erasures of two processes at the same time leave a record without faults', async () => {
  const opened = await openReleased();
  const services = [await startOn(opened.database), await startOn(opened.database)];
  const work = Array.from({ length: 24 }, async (_, index) => {
    const service = services[index % 2] as TestService;
    const decided = await decide(service, `p-${index % 6}`, { categories: index % 3 ? ['cardiovascular'] : [] });
    const erased = await service.request(`/v1/subjects/p-${index % 4}`, { method: 'DELETE' });
    return [decided.status, erased.status];
  });
  const commands = [1, 2, 3].map((n) => opened.run(['keys', 'create', '--account', `other-${n % 2}`]));
  for (const [decided, erased] of await Promise.all(work)) {
    expect([200, 409, 503]).toContain(decided);
    expect([200, 404, 503]).toContain(erased);
  }
  await Promise.all(commands);
  for (const service of services) await service.close();
  expect(await opened.verify()).toEqual([]);
});

test('a process stores an entry at its start, its end and each day, and a removed day or a killed process is visible', async () => {
  const opened = await open();
  const clock = new Clock();
  const service = await startTestService({ database: opened.database, clock });
  const { knex, verify } = opened;
  const entries = (action: string) => knex('access_entries').where({ credential: 'service', action });
  await expect.poll(() => entries('start')).toHaveLength(1);
  clock.advance(24 * 3_600);
  await expect.poll(() => entries('continue')).toHaveLength(1);
  await service.close();
  const [[start], [next], [stop]] = [await entries('start'), await entries('continue'), await entries('stop')];
  expect([next.key_id, stop.chain_id]).toEqual([expect.stringMatching(`^${start.chain_id} \\d+$`), next.chain_id]);
  expect(await verify()).toEqual([]);
  for (const table of ['access_entries', 'access_chains'])
    await knex(table).where({ chain_id: start.chain_id }).delete();
  expect(await verify()).toContainEqual(`chain ${start.chain_id}, before ${next.chain_id}: entries were removed`);
});

test('a process that ended without an entry on an earlier day is named without being a fault', async () => {
  const opened = await open();
  const clock = new Clock();
  clock.advance(-3 * 24 * 3_600);
  const service = await startTestService({ database: opened.database, clock });
  await expect.poll(() => opened.knex('access_entries').where({ action: 'start' })).toHaveLength(1);
  const { stdout, code } = await opened.run(['audit', '--verify']);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^note: chain \w{16}: its process stored nothing after 20.*Z$/m),
  ]);
  await service.close();
});

test('without an access record, rows have codes, and changes are detected', async () => {
  const opened = await openReleased();
  const env = { RETENTION_ACCESS_DAYS: '0' };
  await startOnce(opened, env);
  expect(await opened.knex('access_chains').where('at_ms', '>', Date.now() - 60_000)).toEqual([]);
  expect(await opened.verify(env)).toEqual([]);
  await opened.knex('api_keys').where({ key_id: 'key_2' }).update({ expires_at_ms: 5 });
  expect(await opened.verify(env)).toEqual([expect.stringMatching(/^api_keys: 1 rows were changed/)]);
});

test('a code is bound to its table, its account and each field without ambiguity', async () => {
  const opened = await openReleased();
  await startOnce(opened);
  const { knex, verify } = opened;
  const [row] = await knex('key_audit').where({ entry_id: 'aud_1' });
  for (const change of [
    { account_id: 'acc_2' },
    { actor: 'a@', details: 'b{}' },
    { key_prefix: '' },
    { action: 'set' },
  ]) {
    await knex('key_audit').where({ entry_id: 'aud_1' }).update(change);
    expect(await verify()).toContainEqual(expect.stringMatching(/^key_audit: 1 rows were changed/));
    await knex('key_audit').where({ entry_id: 'aud_1' }).update(row);
  }
  expect(await verify()).toEqual([]);
});
