import fc from 'fast-check';
import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { type Access, startAccessRecord } from '../../src/accesses/record.js';
import { verifyRecord } from '../../src/accesses/verify.js';
import { readConfig } from '../../src/config/config.js';
import { createLog } from '../../src/log/log.js';
import { eraseSubject } from '../../src/retention/erase.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { openDatabase } from '../../src/store/database.js';
import { openStore, type Store } from '../../src/store/store.js';
import { createDigestId } from '../../src/tokens/digest-id.js';
import { createTestDatabase, type TestDatabase } from '../support/databases.js';
import { Clock } from '../support/service.js';
import { everythingStored } from '../support/stored.js';

const secretsKey = 'k'.repeat(32);
const dayMs = 86_400_000;

/** Stores people without readings. */
async function addPeople(knex: Knex, ids: readonly string[]): Promise<void> {
  const rows = ids.map((subject_id) => ({ account_id: 'acc_1', subject_id, version: 'v', body: '{"v":1}' }));
  await knex.batchInsert('subjects', rows, 100);
}

/** Opens a database with the people `person-0`, `person-1` and so on. */
async function openRecord(people = 300): Promise<{ store: Store; knex: Knex; clock: Clock; database: TestDatabase }> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const config = readConfig({ DATABASE_URL: database.url }).database;
  const [store, knex] = [openStore(config), openDatabase(config)];
  onTestFinished(store.close);
  onTestFinished(() => knex.destroy());
  await store.migrate();
  await addPeople(
    knex,
    Array.from({ length: people }, (_, index) => `person-${index}`),
  );
  return { store, knex, clock: new Clock(), database };
}

const accessOf = (index: number): Access => ({
  ...{ accountId: 'acc_1', keyId: `key_${index % 2}`, credential: 'key', action: 'read', operation: 'getState' },
  data: { subjectId: `person-${index}` },
});

/** Records accesses as one process does, in batches of `perBatch`. */
async function recordAs(store: Store, clock: Clock, count: number, key = secretsKey): Promise<void> {
  const log = createLog('silent', { write() {} });
  const digestId = createDigestId([key]);
  const { now } = clock;
  const record = startAccessRecord({ accesses: store.accesses, digestId, secretsKey: key, now, log });
  for (let index = 0; index < count; index += 1) record.add(accessOf(index));
  await record.close();
}

const verify = (store: Store, keys = [secretsKey]) => verifyRecord(store.accesses, keys, 0);

test('the entries of several processes and days are valid, and an earlier key still verifies its chains', async () => {
  const { store, clock } = await openRecord();
  await recordAs(store, clock, 5);
  await recordAs(store, clock, 3);
  clock.advance(dayMs / 1000);
  await recordAs(store, clock, 2, 'n'.repeat(32));
  expect(await verify(store, ['n'.repeat(32), secretsKey])).toMatchObject({ chains: 3, entries: 10, faults: [] });
  expect((await verify(store)).faults).toEqual([expect.stringContaining('SECRETS_KEY=NEW,OLD')]);
});

type Row = Readonly<Record<string, unknown>>;

/** A change of the table: its result for the rows of a chain. */
const tampering = fc.oneof(
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), with: fc.nat() }),
  fc.record({
    kind: fc.constant('change' as const),
    at: fc.nat(),
    column: fc.constantFrom('at_ms', 'account_id', 'key_id', 'credential', 'action', 'operation', 'subject', 'mac'),
  }),
  fc.record({ kind: fc.constant('copy' as const), at: fc.nat() }),
);

type Tampering = typeof tampering extends fc.Arbitrary<infer Change> ? Change : never;

function tamper(rows: readonly Row[], change: Tampering): Row[] {
  const changed = [...rows];
  const at = change.at % rows.length;
  const row = rows[at] as Row;
  if (change.kind === 'remove') changed.splice(at, change.count);
  if (change.kind === 'copy') changed.push({ ...row, seq: rows.length + 1 });
  if (change.kind === 'change')
    changed[at] = {
      ...row,
      [change.column]: change.column === 'at_ms' ? Number(row['at_ms']) - 60_000 : 'x'.repeat(8),
    };
  if (change.kind === 'swap') {
    const other = change.with % rows.length;
    const [seq, otherSeq] = [row['seq'], rows[other]?.['seq']];
    changed[at] = { ...row, seq: otherSeq };
    if (other !== at) changed[other] = { ...(rows[other] as Row), seq };
  }
  return changed;
}

test('every changed, removed, copied and reordered entry is detected', async () => {
  const { store, knex, clock } = await openRecord();
  await recordAs(store, clock, 8);
  const rows: Row[] = await knex('access_entries').orderBy('seq');
  expect(rows).toHaveLength(8);
  const property = fc.asyncProperty(tampering, async (change) => {
    const changed = tamper(rows, change);
    await knex('access_entries').delete();
    if (changed.length > 0) await knex('access_entries').insert(changed);
    const isSame = JSON.stringify(changed) === JSON.stringify(rows);
    const { faults } = await verify(store);
    expect(faults.length > 0).toBe(!isSame);
  });
  await fc.assert(property, { numRuns: 100 });
});

test('a changed, older or removed checkpoint is detected', async () => {
  const { store, knex, clock } = await openRecord();
  await recordAs(store, clock, 4);
  const chains = () => knex('access_chains');
  const [checkpoint] = await chains();
  for (const change of [{ seq: 3 }, { at_ms: 1 }, { mac: 'a'.repeat(64) }, { signature: 'a'.repeat(64) }]) {
    await chains().update(change);
    expect((await verify(store)).faults).toHaveLength(1);
    await chains().update(checkpoint);
  }
  expect((await verify(store)).faults).toEqual([]);
  await chains().delete();
  expect((await verify(store)).faults).toHaveLength(1);
});

test('a purge deletes whole chains after their retention, and the others stay verifiable', async () => {
  const { store, knex, clock } = await openRecord();
  await recordAs(store, clock, 300);
  clock.advance((30 * dayMs) / 1000);
  await recordAs(store, clock, 3);
  const { retention } = readConfig({ RETENTION_ACCESS_DAYS: '30' });
  await purgeExpired(store, clock.nowMs, retention);
  expect(await verify(store)).toMatchObject({ chains: 2, faults: [] });
  clock.advance(1);
  await purgeExpired(store, clock.nowMs, retention);
  expect(await verify(store)).toMatchObject({ chains: 1, entries: 3, faults: [] });
  clock.advance((60 * dayMs) / 1000);
  await purgeExpired(store, clock.nowMs, retention);
  for (const table of ['access_entries', 'access_chains', 'access_subjects']) expect(await knex(table)).toEqual([]);
});

test('accesses that cannot be written stay in memory, and a repeated write adds nothing twice', async () => {
  const { store, clock } = await openRecord();
  let failures = 3;
  const append: Store['accesses']['append'] = async (...written) => {
    // The first failures are lost acknowledgments: the write was committed.
    await store.accesses.append(...written);
    if ((failures -= 1) >= 0) throw new Error('connection lost');
  };
  const other = { ...store, accesses: { ...store.accesses, append } };
  const logged: string[] = [];
  const log = createLog('warn', { write: (line: string) => void logged.push(line) });
  const digestId = createDigestId([secretsKey]);
  const record = startAccessRecord({ accesses: other.accesses, digestId, secretsKey, now: clock.now, log });
  for (let index = 0; index < 4; index += 1) record.add(accessOf(index));
  while (failures >= 0) await new Promise((resolve) => setTimeout(resolve, 20));
  record.add(accessOf(5));
  await record.close();
  expect(await verify(store)).toMatchObject({ chains: 1, entries: 5, faults: [] });
  expect(logged).toHaveLength(1);
});

test('an access that is stored after the erasure of its person does not link the person to the record again', async () => {
  const { store, knex, clock, database } = await openRecord(0);
  await addPeople(knex, ['person-1']);
  const digestId = createDigestId([secretsKey]);
  const log = createLog('silent', { write() {} });
  const start = () => startAccessRecord({ accesses: store.accesses, digestId, secretsKey, now: clock.now, log });
  const [erased, other] = [accessOf(0), accessOf(1)];
  const erasedId = { kind: 'subject', id: 'person-0' } as const;
  const links = () => knex('access_subjects').pluck('subject_id').orderBy('subject_id');
  const subjects = async () => (await store.accesses.newest(10)).map(({ subject }) => subject);
  const first = start();
  // The erasure commits before the access is stored, and is later than the access.
  await store.transact((writerOf) => writerOf('acc_1').erasedIds.add(digestId('acc_1', erasedId), clock.nowMs + 500));
  for (const access of [erased, other]) first.add(access);
  await first.close();
  expect(await links()).toEqual(['person-1']);
  expect(await everythingStored(database)).not.toContain('person-0');
  const [one, two] = await subjects();
  for (const it of [one, two]) expect(it).toMatch(/^[0-9a-f]{32}$/);
  // A request after the erasure concerns new data, so it may be linked. The earlier entry stays without a link.
  clock.advance(1);
  await addPeople(knex, ['person-0']);
  const second = start();
  second.add(erased);
  await second.close();
  expect(await links()).toEqual(['person-0', 'person-1']);
  const pseudonym = await store.accesses.findPseudonym('acc_1', 'person-0');
  expect((await subjects()).filter((it) => it === pseudonym)).toHaveLength(1);
});

test('an erasure that commits while an earlier access is stored leaves no link', async () => {
  const { store, knex, clock } = await openRecord();
  const digestId = createDigestId([secretsKey]);
  const [digest] = digestId('acc_1', { kind: 'subject', id: 'person-0' });
  // The database itself stores the erasure between the insert of the link and the next statement.
  await knex.raw(`create trigger erasing after insert on access_subjects for each row begin
    insert into erased_ids (account_id, digest, erased_at_ms) values ('acc_1', '${digest}', ${clock.nowMs}); end`);
  const log = createLog('silent', { write() {} });
  const record = startAccessRecord({ accesses: store.accesses, digestId, secretsKey, now: clock.now, log });
  record.add(accessOf(0));
  await record.close();
  expect(await knex('erased_ids')).toHaveLength(1);
  expect(await knex('access_subjects')).toEqual([]);
  expect((await store.accesses.newest(10)).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
});

test('an erasure deletes a link that another process stores while the erasure commits', async () => {
  const { store, knex, clock } = await openRecord();
  const link = () =>
    knex('access_subjects').insert({
      ...{ account_id: 'acc_1', subject_id: 'person-0' },
      ...{ pseudonym: 'a'.repeat(32), used_at_ms: clock.nowMs },
    });
  await link();
  const transact: Store['transact'] = async (work) => {
    const done = await store.transact(work);
    if ((await knex('access_subjects')).length === 0) await link();
    return done;
  };
  const parts = { store: { ...store, transact }, digestId: createDigestId([secretsKey]), now: clock.now };
  expect(await eraseSubject(parts, 'acc_1', 'person-0')).toEqual({ sessions: 0, triggers: 0 });
  expect(await knex('access_subjects')).toEqual([]);
});
