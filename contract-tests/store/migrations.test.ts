import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { isMigrated, migrate } from '../../src/store/migrate.js';
import { migrations } from '../../src/store/migrations/index.js';
import { createTestDatabase, databaseKind } from '../support/databases.js';

async function openEmpty(): Promise<Knex> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(() => knex.destroy());
  return knex;
}

/** Returns the whole schema, as the database prints it. */
async function schemaOf(knex: Knex): Promise<string[]> {
  if (databaseKind === 'sqlite') return knex('sqlite_master').whereNotNull('sql').orderBy('name').pluck('sql');
  const tables = await knex('information_schema.tables').whereRaw('table_schema = database()').pluck('table_name');
  const created = await Promise.all(tables.sort().map((name) => knex.raw('show create table ??', [name])));
  return created.map(([[row]]) => row['Create Table'].split(/,?\n/).sort().join('\n'));
}

test('a migration interrupted between two statements is completed by the next run', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  const complete = await schemaOf(knex);
  // Drops tables and indexes, as after a crash on MySQL, which commits each schema statement separately.
  await knex.schema.dropTable('outbox');
  const table = databaseKind === 'mysql' ? ' on deliveries' : '';
  await knex.raw(`drop index deliveries_by_subject${table}`);
  await knex('schema_migrations').where({ name: 'initial-webhooks' }).delete();
  expect(await isMigrated(knex)).toBe(false);
  await migrate(knex);
  expect(await schemaOf(knex)).toEqual(complete);
});

test('every migration is idempotent', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  const complete = await schemaOf(knex);
  for (const { run } of migrations) await run(knex);
  expect(await schemaOf(knex)).toEqual(complete);
});

test('a database from before the first release is refused with a clear error', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  await knex('schema_migrations').insert({ name: '001-accounts', applied_at_ms: 0 });
  await expect(migrate(knex)).rejects.toThrow('a version before the first release created this database');
});
