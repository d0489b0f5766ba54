/** Changes of the access record by somebody who can write to the database and does not have SECRETS_KEY. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChainSigner } from '../../src/access-record/chain.js';
import { createAccessTable } from '../../src/store/accesses.js';
import { addPeople, erase, openRecord, recordAs, secretsKey, verify } from '../../testkit/access-record.js';

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
  fc.record({ kind: fc.constant('copy' as const), at: fc.nat(), seq: fc.constantFrom(11, 100, 0, -1, -(2 ** 53)) }),
);

type Tampering = typeof tampering extends fc.Arbitrary<infer Change> ? Change : never;

function tamper(rows: readonly Row[], change: Tampering): Row[] {
  const changed = [...rows];
  const at = change.at % rows.length;
  const row = rows[at] as Row;
  if (change.kind === 'remove') changed.splice(at, change.count);
  if (change.kind === 'copy') changed.push({ ...row, seq: change.seq });
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
  const opened = await openRecord();
  const { knex } = opened;
  await recordAs(opened, 8);
  const rows: Row[] = await knex('access_entries').orderBy('seq');
  expect(rows).toHaveLength(10);
  const property = fc.asyncProperty(tampering, async (change) => {
    const changed = tamper(rows, change);
    await knex('access_entries').delete();
    if (changed.length > 0) await knex('access_entries').insert(changed);
    const isSame = JSON.stringify(changed) === JSON.stringify(rows);
    const { faults } = await verify(opened);
    expect(faults.length > 0).toBe(!isSame);
  });
  await fc.assert(property, { numRuns: 100 });
});

test('a changed, older or removed checkpoint is detected', async () => {
  const opened = await openRecord();
  const { knex } = opened;
  await recordAs(opened, 4);
  const chains = () => knex('access_chains');
  const [checkpoint] = await chains();
  expect(checkpoint.key_check).toMatch(/^[0-9a-f]{16}$/);
  for (const change of [{ seq: 3 }, { at_ms: 1 }, { mac: 'a'.repeat(64) }, { signature: 'a'.repeat(64) }]) {
    await chains().update(change);
    expect((await verify(opened)).faults).toHaveLength(1);
    await chains().update(checkpoint);
  }
  expect((await verify(opened)).faults).toEqual([]);
  await chains().delete();
  expect((await verify(opened)).faults).toHaveLength(1);
});

test('entries and checkpoints that are moved to another chain or exchanged between chains are detected', async () => {
  const opened = await openRecord();
  const { knex } = opened;
  for (const count of [3, 3]) await recordAs(opened, count);
  const [one, other] = (await knex('access_chains').orderBy('chain_id')).map(({ chain_id }) => chain_id);
  const [entries, chains] = [await knex('access_entries'), await knex('access_chains')];
  const move = (it: Row) => ({ ...it, chain_id: it['chain_id'] === one ? other : one });
  const unknown = (it: Row) => ({ ...it, chain_id: 'a'.repeat(16) });
  const [entry, chain] = [entries[0] as Row, chains[0] as Row];
  for (const [changedEntries, changedChains] of [
    [entries.map(move), chains],
    [entries, chains.map(move)],
    [[...entries.slice(1), { ...move(entry), seq: 6 }], chains],
    [[...entries, unknown(entry)], chains],
    [entries, [...chains, unknown(chain)]],
    [entries, chains.slice(1)],
  ]) {
    for (const [table, rows] of [
      ['access_entries', changedEntries],
      ['access_chains', changedChains],
    ] as const) {
      await knex(table).delete();
      await knex(table).insert(rows);
    }
    expect((await verify(opened)).faults.length).toBeGreaterThan(0);
  }
});

test('a last entry that is not the one of the checkpoint is detected, even if its code is valid', async () => {
  const opened = await openRecord();
  const { store, knex } = opened;
  await recordAs(opened, 3);
  const [{ chain_id: chainId }] = await knex('access_chains');
  const [previous, last] = await store.use(createAccessTable).chainAfter(chainId, 3, 10);
  if (!last || !previous) throw new Error('no entries');
  const changed = { ...last, operation: 'getHealth' };
  const mac = createChainSigner(secretsKey).computeMac(changed, previous.mac);
  await knex('access_entries').where({ seq: last.seq }).update({ operation: 'getHealth', mac });
  expect((await verify(opened)).faults).toEqual([expect.stringContaining('its last entry was changed')]);
});

/** A change of the links: its result for their rows. `at` and `with` select rows. */
const linkTampering = fc.record({
  kind: fc.constantFrom('remove', 'swap', 'rename', 'unlink', 'account', 'pseudonym', 'code', 'copy', 'insert'),
  at: fc.nat(),
  with: fc.nat(),
});

function tamperLink(rows: readonly Row[], change: { kind: string; at: number; with: number }): Row[] {
  const [at, other] = [change.at % rows.length, change.with % rows.length];
  const [row, second] = [rows[at] as Row, rows[other] as Row];
  const replace = (changes: Row) => rows.map((it, index) => (index === at ? { ...it, ...changes } : it));
  const exchange = (column: string) =>
    rows.map((it, index) => {
      const source = index === at ? second : index === other ? row : it;
      return { ...it, [column]: source[column] };
    });
  if (change.kind === 'remove') return rows.filter((_, index) => index !== at);
  if (change.kind === 'swap') return exchange(['subject_id', 'pseudonym', 'code'][change.with % 3] as string);
  if (change.kind === 'rename') return replace({ subject_id: 'somebody' });
  if (change.kind === 'unlink') return replace({ subject_id: null });
  if (change.kind === 'account') return replace({ account_id: 'acc_2' });
  if (change.kind === 'pseudonym') return replace({ pseudonym: 'a'.repeat(32) });
  if (change.kind === 'code') return replace({ code: 'a'.repeat(32) });
  if (change.kind === 'copy') return [...rows, { ...row, pseudonym: 'a'.repeat(32), subject_id: null }];
  return [...rows, { ...row, account_id: 'acc_2', subject_id: 'somebody' }];
}

test('every removed, swapped, added, copied and moved link between a person and their accesses is detected', async () => {
  const opened = await openRecord();
  const { knex, clock } = opened;
  await recordAs(opened, 5);
  clock.advance(1);
  await erase(opened, 'person-4');
  const rows: Row[] = await knex('access_subjects').orderBy('pseudonym');
  expect(rows).toHaveLength(5);
  const property = fc.asyncProperty(linkTampering, async (change) => {
    const changed = tamperLink(rows, change);
    await knex('access_subjects').delete();
    await knex('access_subjects').insert(changed);
    const isSame = JSON.stringify(changed) === JSON.stringify(rows);
    const { faults } = await verify(opened);
    expect(faults.length > 0).toBe(!isSame);
  });
  await fc.assert(property, { numRuns: 100 });
});

test('an erased id cannot be found by guessing without SECRETS_KEY, and the person gets another pseudonym', async () => {
  const opened = await openRecord();
  const { knex, clock } = opened;
  const rowOf = async () => (await knex('access_subjects').where({ subject_id: 'person-0' }))[0];
  await recordAs(opened, 1);
  const first = await rowOf();
  clock.advance(1);
  await erase(opened, 'person-0');
  const [left] = await knex('access_subjects');
  expect(left).toEqual({ ...first, subject_id: null, code: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(left.code).not.toBe(first.code);
  clock.advance(1);
  await addPeople(opened, 'person-0');
  await recordAs(opened, 1);
  const second = await rowOf();
  for (const column of ['pseudonym', 'code']) expect([first[column], left.code]).not.toContain(second[column]);
});
