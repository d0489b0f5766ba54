import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { createErasedIdTable } from '../../src/store/erased-ids.js';
import { buildInsert, insertRows, runStatements } from '../../src/store/rows.js';
import { createTransact } from '../../src/store/store.js';
import { openKnex, migratedDatabase } from '../../testkit/temporary-database.js';

const insert = (knex: Knex, ...names: readonly string[]) =>
  insertRows(
    knex,
    'schema_migrations',
    names.map((name) => ({ name, completed_at_ms: 0, breaks_earlier: 0 })),
  );
const inserted = (knex: Knex) =>
  knex('schema_migrations').where({ completed_at_ms: 0 }).orderBy('name').pluck('name') as Promise<string[]>;

/** Opens one database twice, like two processes. */
async function openTwice(): Promise<[Knex, Knex]> {
  const { url } = await migratedDatabase();
  return [openKnex(url), openKnex(url)];
}

test('a transaction reads its own writes, and other transactions read them after the commit', async () => {
  const [knex, other] = await openTwice();
  await knex.transaction(async (transaction) => {
    await insert(transaction, 'a', 'b');
    await insert(transaction, 'c');
    expect(await inserted(transaction)).toEqual(['a', 'b', 'c']);
    expect(await inserted(other)).toEqual([]);
    await insert(transaction, 'd');
  });
  expect(await inserted(other)).toEqual(['a', 'b', 'c', 'd']);
});

test('a rolled-back transaction writes nothing, and its connection is reusable', async () => {
  const [knex] = await openTwice();
  const givenUp = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    throw new Error('given up');
  });
  await expect(givenUp).rejects.toThrow('given up');
  await knex.transaction((transaction) => insert(transaction, 'b'));
  expect(await inserted(knex)).toEqual(['b']);
});

test('a failing last write rolls back the earlier writes and leaves no lock, and its error contains the statement', async () => {
  const [knex, other] = await openTwice();
  const failing = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    await insert(transaction, 'b0');
    await insert(transaction, ...Array.from({ length: 100 }, (_, index) => `b${index}`));
  });
  // The message contains the statement with the placeholders of one row instead of a hundred rows.
  await expect(failing).rejects.toThrow(
    /^.{0,100}insert into schema_migrations .{0,300}(?:Duplicate entry|UNIQUE constraint)/s,
  );
  expect(await inserted(knex)).toEqual([]);
  // This insert succeeds immediately, because the failed transaction holds no lock.
  await other.transaction((transaction) => insert(transaction, 'a', 'b'));
  expect(await inserted(knex)).toEqual(['a', 'b']);
});

test('a failing insert rejects immediately, before any later statement', async () => {
  const [knex] = await openTwice();
  const failing = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    await expect(insert(transaction, 'a')).rejects.toThrow(/Duplicate entry|UNIQUE constraint/);
    throw new Error('given up');
  });
  await expect(failing).rejects.toThrow('given up');
  expect(await inserted(knex)).toEqual([]);
});

test('batched statements run in order, and a failing statement rolls back the earlier statements', async () => {
  const [knex] = await openTwice();
  const rowsOf = (...names: readonly string[]) =>
    buildInsert(
      knex,
      'schema_migrations',
      names.map((name) => ({ name, completed_at_ms: 0, breaks_earlier: 0 })),
    );
  const remove = { sql: 'delete from schema_migrations where name = ?', bindings: ['a'] };
  await knex.transaction((transaction) =>
    runStatements({ knex: transaction }, [...rowsOf('a', 'b'), remove, ...rowsOf('a', 'c')]),
  );
  expect(await inserted(knex)).toEqual(['a', 'b', 'c']);
  const failing = knex.transaction((transaction) =>
    runStatements({ knex: transaction }, [...rowsOf('d'), ...rowsOf('a'), remove]),
  );
  await expect(failing).rejects.toThrow(/Duplicate entry|UNIQUE constraint/);
  expect(await inserted(knex)).toEqual(['a', 'b', 'c']);
});

test('concurrent reads get their own rows and see earlier writes', async () => {
  const [knex] = await openTwice();
  const read = await knex.transaction(async (transaction) => {
    await insert(transaction, 'a', 'b');
    const named = (name: string) => transaction('schema_migrations').where({ name }).pluck('completed_at_ms');
    return Promise.all([named('a'), inserted(transaction), named('nobody'), named('b')]);
  });
  expect(read).toEqual([[0], ['a', 'b'], [], [0]]);
  expect(await inserted(knex)).toEqual(['a', 'b']);
});

test('a failing read among concurrent reads rolls back the earlier writes', async () => {
  const [knex] = await openTwice();
  const failing = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    await Promise.all([inserted(transaction), transaction('no_such_table'), inserted(transaction)]);
  });
  await expect(failing).rejects.toThrow(/no_such_table/);
  expect(await inserted(knex)).toEqual([]);
  await knex.transaction((transaction) => insert(transaction, 'b'));
  expect(await inserted(knex)).toEqual(['b']);
});

test('twenty megabytes of statements run in packets that the server accepts', async () => {
  const [knex] = await openTwice();
  const [batches, rows, payload] = [40, 500, 'x'.repeat(1_000)];
  const statements = Array.from({ length: batches }, (_, batch) =>
    buildInsert(
      knex,
      'outbox',
      Array.from({ length: rows }, (_row, index) => ({
        account_id: 'a',
        session_id: 's',
        seq: batch * rows + index,
        payload,
        epoch: 1,
        created_at_ms: 0,
      })),
    ),
  );
  await knex.transaction((transaction) => runStatements({ knex: transaction }, statements.flat()));
  expect(Number((await knex('outbox').count({ count: '*' }))[0]?.['count'])).toBe(batches * rows);
});

test('only transactions that wrote, or that the database made fail, are observed', async () => {
  const [knex] = await openTwice();
  const observed: unknown[] = [];
  const transact = createTransact(knex, undefined, (error) => void observed.push(error));
  const erased = (scopeOf: Parameters<Parameters<typeof transact>[0]>[0]) => createErasedIdTable(scopeOf('acc_1'));
  await transact(async (scopeOf) => erased(scopeOf).find(['0'.repeat(32)]));
  await expect(transact(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(observed).toEqual([]);
  await transact(async (scopeOf) => erased(scopeOf).add(['0'.repeat(32)], 1));
  const full = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
  await expect(transact(() => Promise.reject(full))).rejects.toThrow('full');
  // Each attempt of the failed transaction is observed.
  expect([...new Set(observed)]).toEqual([undefined, full]);
});
