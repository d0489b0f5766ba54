import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './database.js';

/**
 * The dialect overrides Knex methods that Knex's types do not declare. These tests fail when Knex no longer calls one
 * of them.
 */
function openTwo(): [Knex, Knex] {
  const folder = mkdtempSync(join(tmpdir(), 'libsql-dialect-'));
  const open = () => openDatabase({ kind: 'sqlite', file: join(folder, 'state.db') });
  const both: [Knex, Knex] = [open(), open()];
  onTestFinished(async () => {
    for (const knex of both) await knex.destroy();
    rmSync(folder, { recursive: true });
  });
  return both;
}

test('the libsql driver is used', async () => {
  const [knex] = openTwo();
  const connection = await knex.client.acquireConnection();
  expect(connection).toBeInstanceOf((await import('libsql')).default);
  await knex.client.releaseConnection(connection);
});

test('a transaction takes the write lock when it starts', async () => {
  const [first, second] = openTwo();
  await first.raw('create table numbers (number integer)');
  const open = await first.transaction();
  await expect(second('numbers').insert({ number: 1 })).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  await open.rollback();
  await second('numbers').insert({ number: 2 });
  expect(await first('numbers')).toEqual([{ number: 2 }]);
});

test('a statement is prepared once per connection', async () => {
  const [knex] = openTwo();
  const connection = await knex.client.acquireConnection();
  const [first, second] = [connection.prepare('select 1'), connection.prepare('select 1')];
  expect(second).toBe(first);
  await knex.client.releaseConnection(connection);
});

test('a connection can commit after a failed statement', async () => {
  const [knex] = openTwo();
  await knex.raw('create table numbers (number integer primary key)');
  await knex('numbers').insert({ number: 1 });
  const insertTwice = knex.transaction((transaction) => transaction('numbers').insert([{ number: 2 }, { number: 1 }]));
  await expect(insertTwice).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
  await knex.transaction(async (transaction) => void (await transaction('numbers').insert({ number: 2 })));
  expect(await knex('numbers').pluck('number')).toEqual([1, 2]);
});
