import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { isMigrated, migrate } from '../../src/store/migrate.js';
import { migrations } from '../../src/store/migrations/index.js';
import { temporaryFolder } from '../commands/temporary-folder.js';
import { createTestDatabase, databaseKind } from '../support/databases.js';
import { runMain } from '../support/process.js';
import { client, Clock, startTestService } from '../support/service.js';

async function openEmpty(): Promise<Knex> {
  return (await openDatabaseOfTest()).knex;
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

/** What the migrations since the previous release have added. */
const added = {
  migrations: ['access-record', 'receipt-keys', 'feedback', 'consent', 'schema-ledger'],
  tables: ['access_entries', 'access_chains', 'access_subjects', 'receipt_keys', 'feedback', 'consents'],
};

test('two processes that start on the schema of the previous release upgrade it and serve its data', async () => {
  const { database, clock, knex } = await openDatabaseOfTest();
  const before = await startTestService({ database, clock });
  await before.read({ subject_id: 'p', heart_rate: 70 });
  const { body: state } = await before.request('/v1/state?session_id=s1');
  await before.close();
  for (const table of added.tables) await knex.schema.dropTable(table);
  await knex.raw('alter table schema_migrations drop column breaks_earlier');
  await knex('schema_migrations').whereIn('name', added.migrations).delete();
  const services = await Promise.all([1, 2].map(() => startTestService({ database, clock })));
  for (const { url } of services) {
    const { request } = client(url, before.key, clock);
    expect((await request('/v1/state?session_id=s1')).body).toEqual(state);
    expect((await request('/readyz')).status).toBe(200);
  }
});

test('a newer version that only adds to the schema can be rolled back', async () => {
  const { database, clock, knex } = await openDatabaseOfTest();
  const running = await startTestService({ database, clock });
  await running.read({ subject_id: 'p', heart_rate: 70 });
  await knex.schema.createTable('of_next_year', (table) => void table.integer('value'));
  await knex.schema.alterTable('sessions', (table) => void table.integer('of_next_year').notNullable().defaultTo(0));
  await knex('schema_migrations').insert({ name: 'of-next-year', applied_at_ms: 0 });
  expect((await running.request('/readyz')).status).toBe(200);
  const rolledBack = await startTestService({ database, clock });
  clock.advance(10);
  await rolledBack.read({ session_id: 's2', subject_id: 'p', heart_rate: 75 });
  const { request } = client(rolledBack.url, running.key, clock);
  expect((await request('/v1/state?session_id=s1')).status).toBe(200);
  expect((await request('/v1/subjects/p', { method: 'DELETE' })).status).toBe(200);
});

test('every command refuses a schema that a newer version has broken, and names the remedy', async () => {
  const { database, clock, knex } = await openDatabaseOfTest();
  const running = await startTestService({ database, clock });
  await knex('schema_migrations').insert({ name: 'of-next-year', applied_at_ms: 0, breaks_earlier: 1 });
  expect((await running.request('/readyz')).status).toBe(503);
  const env = { DATABASE_URL: database.url, PORT: '0' };
  const commands = [['serve'], ['deliver'], ['migrate'], ['keys', 'list'], ['accounts', 'show'], ['audit'], ['purge']];
  if (databaseKind === 'sqlite') commands.push(['backup', join(await temporaryFolder(), 'copy.db')]);
  for (const command of commands) {
    const { code, stderr } = await runMain(command, env);
    expect([command, code]).toEqual([command, 1]);
    expect(stderr).toMatch(
      /^\S.*a newer version changed the schema \(migration of-next-year\).*: run the newer version, or restore a backup from before its start.*\n$/,
    );
  }
  const { stdout } = await runMain(['doctor'], env);
  expect(stdout).toMatch(/^problem {2}database: a newer version .*\n +remedy: run the newer version, or restore/m);
});

async function openDatabaseOfTest() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(() => knex.destroy());
  return { database, knex, clock: new Clock() };
}
