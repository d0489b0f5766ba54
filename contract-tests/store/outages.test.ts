import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { withDatabase } from '../../src/store/database.js';
import { migrate } from '../../src/store/migrate.js';
import { findRemedy, isTransient } from '../../src/store/retry.js';
import { openKnex, openMigrated, temporaryDatabase } from '../../testkit/temporary-database.js';

const insertPage = (knex: Knex, number: number) =>
  knex('schema_migrations').insert({
    name: `row-${number}`.padEnd(60, 'x'),
    completed_at_ms: number,
    breaks_earlier: 0,
  });

/** Returns the error of the first insert that fails. */
async function firstError(knex: Knex): Promise<unknown> {
  for (let number = 0; number < 2_000; number += 1)
    try {
      await insertPage(knex, number);
    } catch (error) {
      return error;
    }
  return undefined;
}

const sqlitePragmas = [
  ['a full database', 'pragma max_page_count = 1', 'SQLITE_FULL', /disk of the database is full/],
  ['a read-only database', 'pragma query_only = on', 'SQLITE_READONLY', /read-only/],
  ['a missing table', 'drop table schema_migrations', 'SQLITE_SCHEMA_INCOMPLETE', /migrate --repair/],
  [
    'a missing column',
    'alter table schema_migrations drop column breaks_earlier',
    'SQLITE_SCHEMA_INCOMPLETE',
    /migrate --repair/,
  ],
] as const;

test.each(sqlitePragmas)(
  'during "%s", the error of a write is retryable and has a remedy',
  async (_, pragma, code, remedy) => {
    const { knex } = await openMigrated();
    await knex.raw(pragma);
    const error = await firstError(knex);
    expect(error).toMatchObject({ code });
    expect(isTransient(error)).toBe(true);
    expect(findRemedy(error)).toMatch(remedy);
  },
);

test('a file that is not a database, and damaged pages, are not retryable and have a remedy', async () => {
  const database = await temporaryDatabase('sqlite');
  const file = database.url.slice('sqlite:'.length);
  const read = () => openKnex(database.url)('schema_migrations').catch((raised: unknown) => raised);
  writeFileSync(file, 'not a database '.repeat(1_000));
  const foreign: unknown = await read();
  expect([isTransient(foreign), findRemedy(foreign)]).toEqual([
    false,
    expect.stringContaining('is not an SQLite database'),
  ]);
  rmSync(file);
  await migrate(openKnex(database.url));
  await withDatabase(readConfig({ DATABASE_URL: database.url }).database, (knex) =>
    knex.raw('pragma wal_checkpoint(truncate)'),
  );
  const bytes = readFileSync(file);
  bytes.fill(0xff, 100);
  writeFileSync(file, bytes);
  const damaged: unknown = await read();
  expect([isTransient(damaged), findRemedy(damaged)]).toEqual([
    false,
    expect.stringContaining('the database is damaged'),
  ]);
});

test('an error in the statement is not retryable', async () => {
  const { knex } = await openMigrated();
  const error: unknown = await knex.raw('select from').catch((raised: unknown) => raised);
  expect(isTransient(error)).toBe(false);
  expect(findRemedy(error)).toBeUndefined();
});
