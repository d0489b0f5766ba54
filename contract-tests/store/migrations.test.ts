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

/** Returns the whole schema as printed by the database. */
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
  // Drops tables and indexes, to simulate a crash. MySQL commits each schema statement separately.
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

test('the separate columns of an earlier reading become its signals', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  await knex.schema.alterTable('readings', (table) => {
    for (const name of ['heart_rate', 'respiratory_rate', 'source_device']) table.string(name).nullable();
  });
  await knex.raw('alter table readings drop column signals');
  const key = {
    account_id: 'a',
    session_id: 's',
    incarnation: '0'.repeat(12),
    timestamp_ms: 1,
    digest: '0'.repeat(32),
  };
  const row = { ...key, stress_score: 20, confidence: 0.5, response: '{}', position: 2 };
  await knex('readings').insert([
    { ...row, heart_rate: '61.5', respiratory_rate: '15', source_device: 'watch "2"' },
    { ...row, session_id: 't' },
  ]);
  await knex('schema_migrations').where({ name: 'reading-signals' }).delete();
  await migrate(knex);
  const stored = await knex('readings').orderBy('session_id').pluck('signals');
  expect(stored.map((signals) => JSON.parse(signals))).toEqual([
    { v: 1, heart_rate: 61.5, respiratory_rate: 15, source_device: 'watch "2"' },
    { v: 1 },
  ]);
});

test('deliveries that can fail or have failed get the time of their event from the payload', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  const timestamp = '2026-11-21T09:30:00.250Z';
  const rows = ['failed', 'queued', 'delivered'].flatMap((status) =>
    Array.from({ length: 310 }, (_, index) => ({
      account_id: 'a',
      delivery_id: `${status} ${index}`,
      webhook_id: 'w',
      session_id: 's',
      receiver: '0'.repeat(16),
      status,
      payload: JSON.stringify({ timestamp }),
      attempts: '[]',
      due_at_ms: 1,
    })),
  );
  await knex.batchInsert('deliveries', rows, 100);
  await knex('schema_migrations').where({ name: 'event-times' }).delete();
  await migrate(knex);
  const counts = await knex('deliveries')
    .select('status', 'event_at_ms')
    .count('* as rows')
    .groupBy('status', 'event_at_ms');
  expect(counts.map(({ status, event_at_ms, rows: number }) => [status, event_at_ms, Number(number)]).sort()).toEqual([
    ['delivered', null, 310],
    ['failed', Date.parse(timestamp), 310],
    ['queued', Date.parse(timestamp), 310],
  ]);
});

test('a database from before the first release is rejected with a clear error', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  await knex('schema_migrations').insert({ name: '001-accounts', applied_at_ms: 0 });
  await expect(migrate(knex)).rejects.toThrow('this database was created before the first release');
});
