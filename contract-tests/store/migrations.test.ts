import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { isMigrated, migrate } from '../../src/store/migrate.js';
import { type Migration, migrations } from '../../src/store/migrations/index.js';
import { runHere } from '../../testkit/command-line.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { databaseKind, settingsFor } from '../../testkit/databases.js';
import { runMain } from '../../testkit/process.js';
import { client, Clock, startTestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';
import released from './schema-1.0.0.json' with { type: 'json' };

async function openEmpty(): Promise<Knex> {
  return (await openDatabaseOfTest()).knex;
}

/** Returns the whole schema as printed by the database, without the server's default charset: every column has its own. */
async function schemaOf(knex: Knex): Promise<string[]> {
  if (databaseKind === 'sqlite') return knex('sqlite_master').whereNotNull('sql').orderBy('name').pluck('sql');
  const tables = await knex('information_schema.tables').whereRaw('table_schema = database()').pluck('table_name');
  const created = await Promise.all(tables.sort().map((name) => knex.raw('show create table ??', [name])));
  return created.map(([[row]]) => {
    const statement: string = row['Create Table'].replace(/ DEFAULT CHARSET=\S+ COLLATE=\S+/, '');
    return statement.split(/,?\n/).sort().join('\n');
  });
}

test('a migration interrupted between two statements is completed by the next run', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  const complete = await schemaOf(knex);
  // Drops tables and indexes, to simulate a crash. MySQL commits each schema statement separately.
  await knex.schema.dropTable('outbox');
  const table = databaseKind === 'mysql' ? ' on deliveries' : '';
  await knex.raw(`drop index deliveries_by_subject${table}`);
  await knex('schema_migrations').delete();
  expect(await isMigrated(knex)).toBe(false);
  await migrate(knex);
  expect(await schemaOf(knex)).toEqual(complete);
});

/** A failure means that a table has changed without a migration: see CONTRIBUTING.md#migrations. */
test('migrations turn the tables of 1.0.0 into those of an empty database', async () => {
  const knex = await openEmpty();
  for (const statement of released[databaseKind]) await knex.raw(statement);
  await knex('schema_migrations').insert({ name: 'initial', completed_at_ms: 1, breaks_earlier: 0 });
  await migrate(knex);
  const empty = await openEmpty();
  await migrate(empty);
  expect(await schemaOf(knex)).toEqual(await schemaOf(empty));
});

test.each([
  ['that this release creates', [], {}, 192],
  ['of 1.0.0', released[databaseKind], {}, 24],
  ['that states another time', [], { RETENTION_READINGS_HOURS: '48' }, 48],
])('a database %s keeps readings and idle sessions for its own hours', async (_, statements, env, hours) => {
  const database = await temporaryDatabase();
  const knex = openKnex(database.url);
  for (const statement of statements) await knex.raw(statement);
  if (statements.length > 0)
    await knex('schema_migrations').insert({ name: 'initial', completed_at_ms: 1, breaks_earlier: 0 });
  const service = await startTestService({ database, env });
  const old = { session_id: 's', timestamp: service.clock.at(-10 * 86_400), backfill: true, heart_rate: 70 };
  expect((await service.ingest(old)).body).toMatchObject({ max_age_seconds: hours * 3_600 });
  const applied = async () => (await knex('applied_retention').where({ name: 'readings_hours' }).first())?.value;
  await until('the purge has applied it', async () => (await applied()) === hours);
  const run = (...args: readonly string[]) => runHere(args, { ...settingsFor(database.url), ...env });
  await run('keys', 'create', '--account', 'acme');
  const set = (keep: number) => run('accounts', 'set', 'acme', 'keep-readings', String(keep));
  expect([(await set(hours)).code, (await set(hours + 1)).code]).toEqual([0, 1]);
});

test('every migration is idempotent', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  const complete = await schemaOf(knex);
  for (const { run } of migrations) await run(knex);
  expect(await schemaOf(knex)).toEqual(complete);
});

test('an interrupted breaking migration is refused by earlier versions, and completed by the next run', async () => {
  const knex = await openEmpty();
  await migrate(knex);
  let isInterrupted = true;
  const run = async () => {
    if (isInterrupted) throw new Error('killed');
  };
  const list: Migration[] = [...migrations, { name: 'next-year', run, breaksEarlier: true }];
  await expect(migrate(knex, list)).rejects.toThrow('killed');
  await expect(isMigrated(knex)).rejects.toThrow('a newer version changed the schema (migration next-year)');
  expect(await isMigrated(knex, list)).toBe(false);
  isInterrupted = false;
  await migrate(knex, list);
  expect(await isMigrated(knex, list)).toBe(true);
});

test('a database of a build from before 1.0.0 is refused, and stays as it is', async () => {
  const { database, knex } = await openDatabaseOfTest();
  await knex.raw(
    'create table schema_migrations (name varchar(64) not null primary key, applied_at_ms bigint not null)',
  );
  await knex('schema_migrations').insert({ name: 'initial-accounts', applied_at_ms: 0 });
  const before = await schemaOf(knex);
  const env = settingsFor(database.url);
  for (const command of [
    ['serve'],
    ['keys', 'list'],
    ['migrate'],
    ['backup', join(await temporaryFolder(), 'copy.db')],
  ]) {
    const { code, stderr } = await runOn(command, { ...env, PORT: '0' });
    expect([command, code]).toEqual([command, 1]);
    expect(stderr).toMatch(
      /^\S.*a build from before 1\.0\.0 created this database.*: set DATABASE_URL to an empty .*\n$/,
    );
  }
  const { stdout } = await runHere(['doctor'], env);
  expect(stdout).toMatch(
    /^problem {2}database: a build from before .*\n +remedy: set DATABASE_URL to an empty database/m,
  );
  expect(await schemaOf(knex)).toEqual(before);
});

test('a newer version that only adds to the schema can be rolled back', async () => {
  const { database, clock, knex } = await openDatabaseOfTest();
  const running = await startTestService({ database, clock });
  await running.read({ subject_id: 'p', heart_rate: 70 });
  await knex.schema.createTable('of_next_year', (table) => void table.integer('value'));
  await knex.schema.alterTable('sessions', (table) => void table.integer('of_next_year').notNullable().defaultTo(0));
  await knex('schema_migrations').insert({ name: 'of-next-year', completed_at_ms: 1, breaks_earlier: 0 });
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
  await knex('schema_migrations').insert({ name: 'of-next-year', completed_at_ms: 1, breaks_earlier: 1 });
  expect((await running.request('/readyz')).status).toBe(503);
  const env = { ...settingsFor(database.url), PORT: '0' };
  const commands = [['serve'], ['deliver'], ['migrate'], ['keys', 'list'], ['accounts', 'show'], ['audit'], ['purge']];
  commands.push(['backup', join(await temporaryFolder(), 'copy.db')]);
  for (const command of commands) {
    const { code, stderr } = await runOn(command, env);
    expect([command, code]).toEqual([command, 1]);
    expect(stderr).toMatch(
      /^\S.*a newer version changed the schema \(migration of-next-year\).*: run the newer version, or restore a backup from before its start.*\n$/,
    );
  }
  const { stdout } = await runHere(['doctor'], env);
  expect(stdout).toMatch(/^problem {2}database: a newer version .*\n +remedy: run the newer version, or restore/m);
});

/** Runs a command. Only those that run until a signal require a separate process. */
const runOn: typeof runHere = (args, env) =>
  (['serve', 'deliver'].includes(args[0] ?? '') ? runMain : runHere)(args, env);

async function openDatabaseOfTest() {
  const database = await temporaryDatabase();
  const knex = openKnex(database.url);
  return { database, knex, clock: new Clock() };
}
