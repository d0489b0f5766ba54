import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/store/database.js';
import { insertRows } from '../../src/store/insert-rows.js';
import { migrate } from '../../src/store/migrate.js';
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

test('a write that fails before a read fails the read', async () => {
  const [knex] = await openTwice();
  const seen: string[][] = [];
  const failing = knex.transaction(async (transaction) => {
    await insert(transaction, 'a');
    await insert(transaction, 'a');
    seen.push(await inserted(transaction));
  });
  await expect(failing).rejects.toThrow(/Duplicate entry|UNIQUE constraint/);
  expect(seen).toEqual([]);
  expect(await inserted(knex)).toEqual([]);
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

test('twenty megabytes are written in one transaction: what waits is never more than a server takes', async () => {
  const [knex] = await openTwice();
  const [batches, rows, payload] = [40, 500, 'x'.repeat(1_000)];
  await knex.transaction(async (transaction) => {
    for (let batch = 0; batch < batches; batch++)
      await insertRows(
        transaction,
        'outbox',
        Array.from({ length: rows }, (_, index) => ({
          account_id: 'a',
          session_id: 's',
          seq: batch * rows + index,
          payload,
          epoch: 1,
          created_at_ms: 0,
        })),
      );
  });
  expect(Number((await knex('outbox').count({ count: '*' }))[0]?.['count'])).toBe(batches * rows);
});
