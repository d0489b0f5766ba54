import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/store/database.js';
import { insertOf, insertRows } from '../../src/store/insert-rows.js';
import { migrate } from '../../src/store/migrate.js';
import { runStatements } from '../../src/store/run-statements.js';
import { createTestDatabase } from '../support/databases.js';

const insert = (knex: Knex, ...names: readonly string[]) =>
  insertRows(
    knex,
    'schema_migrations',
    names.map((name) => ({ name, applied_at_ms: 0 })),
  );
const inserted = (knex: Knex) =>
  knex('schema_migrations').where({ applied_at_ms: 0 }).orderBy('name').pluck('name') as Promise<string[]>;

/** Two processes on one database. */
async function openTwice(): Promise<[Knex, Knex]> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { database: config } = readConfig({ DATABASE_URL: database.url });
  const both: [Knex, Knex] = [openDatabase(config), openDatabase(config)];
  onTestFinished(async () => void (await Promise.all(both.map((knex) => knex.destroy()))));
  await migrate(both[0]);
  return both;
}

test('what a transaction has written it reads, and others once it is committed', async () => {
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

test('of a transaction that is given up nothing is written, and its connection begins afresh', async () => {
  const [knex] = await openTwice();
  const givenUp = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    throw new Error('given up');
  });
  await expect(givenUp).rejects.toThrow('given up');
  await knex.transaction((transaction) => insert(transaction, 'b'));
  expect(await inserted(knex)).toEqual(['b']);
});

test('a write that fails last undoes those before it, says what failed and leaves no lock behind', async () => {
  const [knex, other] = await openTwice();
  const failing = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    await insert(transaction, 'b0');
    await insert(transaction, ...Array.from({ length: 100 }, (_, index) => `b${index}`));
  });
  // The statement, but not a mark for every value of a hundred rows.
  await expect(failing).rejects.toThrow(
    /^.{0,100}insert into schema_migrations .{0,300}(?:Duplicate entry|UNIQUE constraint)/s,
  );
  expect(await inserted(knex)).toEqual([]);
  // At once: nobody waits for a transaction that nobody will end.
  await other.transaction((transaction) => insert(transaction, 'a', 'b'));
  expect(await inserted(knex)).toEqual(['a', 'b']);
});

test('an insert that fails rejects by itself, before any later statement', async () => {
  const [knex] = await openTwice();
  const failing = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    await expect(insert(transaction, 'a')).rejects.toThrow(/Duplicate entry|UNIQUE constraint/);
    throw new Error('given up');
  });
  await expect(failing).rejects.toThrow('given up');
  expect(await inserted(knex)).toEqual([]);
});

test('statements that run together run in their order, and one that fails undoes those before it', async () => {
  const [knex] = await openTwice();
  const rowsOf = (...names: readonly string[]) =>
    insertOf(
      knex,
      'schema_migrations',
      names.map((name) => ({ name, applied_at_ms: 0 })),
    );
  const remove = { sql: 'delete from schema_migrations where name = ?', bindings: ['a'] };
  await knex.transaction((transaction) =>
    runStatements(transaction, [...rowsOf('a', 'b'), remove, ...rowsOf('a', 'c')]),
  );
  expect(await inserted(knex)).toEqual(['a', 'b', 'c']);
  const failing = knex.transaction((transaction) =>
    runStatements(transaction, [...rowsOf('d'), ...rowsOf('a'), remove]),
  );
  await expect(failing).rejects.toThrow(/Duplicate entry|UNIQUE constraint/);
  expect(await inserted(knex)).toEqual(['a', 'b', 'c']);
});

test('what is read at once is each answered with its own rows, and sees what was written before', async () => {
  const [knex] = await openTwice();
  const read = await knex.transaction(async (transaction) => {
    await insert(transaction, 'a', 'b');
    const named = (name: string) => transaction('schema_migrations').where({ name }).pluck('applied_at_ms');
    return Promise.all([named('a'), inserted(transaction), named('nobody'), named('b')]);
  });
  expect(read).toEqual([[0], ['a', 'b'], [], [0]]);
  expect(await inserted(knex)).toEqual(['a', 'b']);
});

test('one of several reads at once that fails undoes what was written before them', async () => {
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

test('twenty megabytes run together: no packet is larger than a server accepts', async () => {
  const [knex] = await openTwice();
  const [batches, rows, payload] = [40, 500, 'x'.repeat(1_000)];
  const statements = Array.from({ length: batches }, (_, batch) =>
    insertOf(
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
  await knex.transaction((transaction) => runStatements(transaction, statements.flat()));
  expect(Number((await knex('outbox').count({ count: '*' }))[0]?.['count'])).toBe(batches * rows);
});
