import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { eraseSubject } from '../../src/retention/erase.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createAccessTable } from '../../src/store/accesses.js';
import { createDigestId, createErasedIdTable } from '../../src/store/erased-ids.js';
import type { Store } from '../../src/store/store.js';
import {
  accessOf,
  addAll,
  addPeople,
  dayMs,
  erase,
  openRecord,
  recordAs,
  secretsKey,
  startRecord,
  verify,
} from '../../testkit/access-record.js';
import { everythingStored } from '../../testkit/stored.js';
import { until } from '../../testkit/until.js';

/** The number of entries that processes store at their start and their end. */
const startAndStop = (processes: number) => 2 * processes;

test('the entries of several processes and days are valid, and an earlier key still verifies its chains', async () => {
  const opened = await openRecord();
  await recordAs(opened, 5);
  await recordAs(opened, 3);
  opened.clock.advance(dayMs / 1000);
  await recordAs(opened, 2, 'n'.repeat(32));
  const keys = ['n'.repeat(32), secretsKey];
  expect(await verify(opened, keys)).toMatchObject({ chains: 3, entries: 10 + startAndStop(3), faults: [] });
  expect((await verify(opened)).faults).toEqual([expect.stringContaining('SECRETS_KEY=NEW,OLD')]);
});

test('a link that stays in use is signed with the newest key, so that an earlier key is no longer required', async () => {
  const opened = await openRecord();
  await recordAs(opened, 3);
  opened.clock.advance((2 * dayMs) / 1000);
  await recordAs(opened, 3, 'n'.repeat(32), secretsKey);
  const { faults } = await verify(opened, ['n'.repeat(32)]);
  expect(faults).toEqual([expect.stringContaining('no key of SECRETS_KEY signed it')]);
});

test('the use of a link is stored again after more than a day', async () => {
  const opened = await openRecord();
  const times: number[] = [];
  for (const seconds of [0, dayMs / 1000, 0.001]) {
    opened.clock.advance(seconds);
    await recordAs(opened, 1);
    times.push(opened.clock.nowMs - Number((await opened.knex('access_subjects').first()).used_at_ms));
  }
  expect(times).toEqual([0, dayMs, 0]);
});

test('accesses to persons without data are not recorded', async () => {
  const opened = await openRecord(0);
  await recordAs(opened, 2);
  expect(await opened.knex('access_entries').pluck('action')).toEqual(['start', 'stop']);
});

test('a record with erasures, persons who come back and a purge is valid, also if an erasure is between two entries', async () => {
  const opened = await openRecord();
  const { store, knex, clock } = opened;
  // Each day has its own chains.
  clock.advance((dayMs - (clock.nowMs % dayMs)) / 1000);
  const [one, other] = [startRecord(opened), startRecord(opened)];
  for (let round = 0; round < 4; round += 1) {
    for (const record of [one, other]) addAll(record, 6);
    if (round % 2 === 0)
      await until('entries', async () => (await store.use(createAccessTable).newest(100)).length > round * 6);
    clock.advance(1);
    for (const person of [round, 5]) {
      await erase(opened, `person-${person}`);
      await addPeople(opened, `person-${person}`);
    }
    clock.advance(60);
  }
  for (const record of [one, other]) await record.close();
  expect(await verify(opened)).toMatchObject({ chains: 3, faults: [] });
  expect((await knex('access_subjects').whereNull('subject_id')).length).toBeGreaterThan(0);
  const { retention } = readConfig({ RETENTION_ACCESS_DAYS: '30' });
  clock.advance((29.9 * dayMs) / 1000);
  await recordAs(opened, 6);
  await purgeExpired(store, clock.nowMs, retention);
  expect(await verify(opened)).toMatchObject({ chains: 4, faults: [] });
});

test('one process starts a new chain each day (UTC)', async () => {
  const opened = await openRecord();
  const { store, clock } = opened;
  clock.advance((dayMs - (clock.nowMs % dayMs) - 1_000) / 1000);
  const record = startRecord(opened);
  for (const index of [0, 1, 2]) {
    record.add(accessOf(index));
    await until('the entry', async () => (await store.use(createAccessTable).newest(10)).length > index);
    clock.advance(index === 0 ? 0.5 : 1);
  }
  await record.close();
  const [third, second, first] = (await store.use(createAccessTable).newest(10)).map(({ chainId }) => chainId);
  expect(first).toBe(second);
  expect(third).not.toBe(second);
});

test('an expired chain that a purge is deleting is no fault', async () => {
  const opened = await openRecord();
  await recordAs(opened, 5);
  await opened.knex('access_entries').where('seq', '<', 3).delete();
  expect((await verify(opened)).faults).toHaveLength(1);
  expect(await verify(opened, [secretsKey], opened.clock.nowMs + 1)).toMatchObject({ chains: 0, faults: [] });
});

test('a read after an erasure in the same minute has an entry of its own', async () => {
  const opened = await openRecord();
  const record = startRecord(opened);
  const read = accessOf(0);
  for (const access of [read, read, { ...read, action: 'erase' as const, operation: 'deleteSubject' }, read])
    record.add(access);
  await record.close();
  const entries = await opened.store.use(createAccessTable).newest(10);
  expect(entries.map(({ action }) => action)).toEqual(['read', 'erase', 'read']);
});

test('a shutdown stores a batch whose writes failed, and the accesses that arrived meanwhile', async () => {
  const opened = await openRecord();
  let [failures, isClosing, closingFailures] = [0, false, 1];
  const record = startRecord(opened, {
    async append(...written) {
      if (isClosing && closingFailures-- <= 0) return opened.store.use(createAccessTable).append(...written);
      failures += 1;
      throw new Error('connection lost');
    },
  });
  record.add(accessOf(0));
  await until('a failed write', () => failures > 0);
  record.add(accessOf(1));
  isClosing = true;
  await record.close();
  expect(await verify(opened)).toMatchObject({ chains: 1, entries: 2 + startAndStop(1), faults: [] });
});

test('a purge deletes whole chains after their retention, and the others stay verifiable', async () => {
  const opened = await openRecord(300);
  const { store, knex, clock } = opened;
  await recordAs(opened, 300);
  clock.advance((30 * dayMs) / 1000);
  await recordAs(opened, 3);
  const { retention } = readConfig({ RETENTION_ACCESS_DAYS: '30' });
  await purgeExpired(store, clock.nowMs, retention);
  expect(await verify(opened)).toMatchObject({ chains: 2, faults: [] });
  clock.advance(1);
  await purgeExpired(store, clock.nowMs, retention);
  expect(await verify(opened)).toMatchObject({ chains: 1, entries: 3 + startAndStop(1), faults: [] });
  clock.advance((60 * dayMs) / 1000);
  await purgeExpired(store, clock.nowMs, retention);
  for (const table of ['access_entries', 'access_chains', 'access_subjects']) expect(await knex(table)).toEqual([]);
});

test('accesses that cannot be written stay in memory, and a repeated write adds nothing twice', async () => {
  const opened = await openRecord();
  let failures = 3;
  const logged: string[] = [];
  const record = startRecord(opened, {
    async append(...written) {
      // The first failures are lost acknowledgments: the write was committed.
      await opened.store.use(createAccessTable).append(...written);
      if ((failures -= 1) >= 0) throw new Error('connection lost');
    },
    write: (line) => void logged.push(line),
  });
  addAll(record, 4);
  await until('a write that succeeds', () => failures < 0);
  record.add(accessOf(5));
  await record.close();
  expect(await verify(opened)).toMatchObject({ chains: 1, entries: 5 + startAndStop(1), faults: [] });
  expect(logged).toHaveLength(1);
});

test('an access that is stored after the erasure of its person does not link the person to the record again', async () => {
  const opened = await openRecord(0);
  await addPeople(opened, 'person-1');
  const { store, knex, clock, database } = opened;
  const digestId = createDigestId([secretsKey]);
  const start = () => startRecord(opened);
  const [erased, other] = [accessOf(0), accessOf(1)];
  const erasedId = { kind: 'subject', id: 'person-0' } as const;
  const links = () => knex('access_subjects').pluck('subject_id').orderBy('subject_id');
  const subjects = async () => (await store.use(createAccessTable).newest(10)).map(({ subject }) => subject);
  const first = start();
  // The erasure commits before the access is stored, and is later than the access.
  await store.transact((scopeOf) =>
    createErasedIdTable(scopeOf('acc_1')).add(digestId('acc_1', erasedId), clock.nowMs + 500),
  );
  for (const access of [erased, other]) first.add(access);
  await first.close();
  expect(await links()).toEqual(['person-1']);
  expect(await everythingStored(database)).not.toContain('person-0');
  expect((await subjects()).sort()).toEqual(['!', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  // A request after the erasure concerns new data, so it may be linked. The earlier entry stays without a link.
  clock.advance(1);
  await addPeople(opened, 'person-0');
  const second = start();
  second.add(erased);
  await second.close();
  expect(await links()).toEqual(['person-0', 'person-1']);
  const pseudonym = await store.use(createAccessTable).findPseudonym('acc_1', 'person-0');
  expect((await subjects()).filter((it) => it === pseudonym)).toHaveLength(1);
  expect((await verify(opened)).faults).toEqual([]);
});

test('an erasure that commits while an earlier access is stored leaves no link', async () => {
  const opened = await openRecord();
  const { store, knex, clock } = opened;
  const digestId = createDigestId([secretsKey]);
  const [digest] = digestId('acc_1', { kind: 'subject', id: 'person-0' });
  // The database itself stores the erasure between the insert of the link and the next statement.
  await knex.raw(`create trigger erasing after insert on access_subjects for each row begin
    insert into erased_ids (account_id, digest, erased_at_ms) values ('acc_1', '${digest}', ${clock.nowMs}); end`);
  await recordAs(opened, 1);
  expect(await knex('erased_ids')).toHaveLength(1);
  expect(await knex('access_subjects').pluck('subject_id')).toEqual([null]);
  expect((await store.use(createAccessTable).newest(10)).map(({ subject }) => subject)).toEqual(['!']);
  await knex.raw('drop trigger erasing');
  await knex('erased_ids').delete();
  expect((await verify(opened)).faults).toEqual([]);
});

test('an erasure removes a link that another process stores while the erasure commits', async () => {
  const opened = await openRecord();
  const { store, knex, clock } = opened;
  const links = () => knex('access_subjects').whereNotNull('subject_id');
  await recordAs(opened, 1);
  const transact: Store['transact'] = async (work) => {
    const done = await store.transact(work);
    if ((await links()).length > 0) return done;
    await addPeople(opened, 'person-0');
    await recordAs(opened, 1);
    return done;
  };
  const parts = { store: { ...store, transact }, digestId: createDigestId([secretsKey]), now: () => clock.nowMs - 1 };
  expect(await eraseSubject(parts, 'acc_1', 'person-0')).toEqual({ sessions: 0, triggers: 0 });
  expect(await links()).toEqual([]);
  expect((await verify(opened)).faults).toEqual([]);
});
