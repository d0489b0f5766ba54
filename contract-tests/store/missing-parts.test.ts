import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { tables } from '../../src/store/tables/index.js';
import { listColumns } from '../../src/store/tables/table.js';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind, settingsFor } from '../../testkit/databases.js';
import { runMain, startMain } from '../../testkit/process.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { startWithKey } from '../process/started.js';

/** Creates a database with all tables, and functions that run commands on it. */
async function openComplete() {
  const database = await temporaryDatabase();
  const env = { ...settingsFor(database.url), PORT: '0' };
  const run = (...args: string[]) => runHere(args, env);
  expect((await run('migrate')).code).toBe(0);
  const knex = openKnex(database.url);
  const findDatabase = async () => {
    const { code, stdout } = await run('doctor', '--json');
    return { code, ...JSON.parse(stdout).find(({ what }: { what: string }) => what === 'database') };
  };
  return { env, run, knex, findDatabase };
}

const dropIndex = (knex: Knex, table: string, index: string) =>
  knex.raw(`drop index ${index}${databaseKind === 'mysql' ? ` on ${table}` : ''}`);

/** Returns the definition of each column of a table by name. Columns of the primary key are in `keys`. */
async function describeColumns(knex: Knex, table: string) {
  const rows: Array<Record<string, unknown>> =
    databaseKind === 'sqlite'
      ? await knex.raw('select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by name', [table])
      : (await knex.raw(`show full columns from ${table}`))[0];
  const columns = new Map(rows.map((row) => [String(row['name'] ?? row['Field']), row]));
  const keys = [...columns].filter(([, row]) => Number(row['pk']) > 0 || row['Key'] === 'PRI').map(([name]) => name);
  return { columns, keys };
}

test('a missing table or column stops every command, and the error names it and the remedy', async () => {
  const { env, run, knex, findDatabase } = await openComplete();
  await knex.schema.dropTable('outbox');
  await knex.schema.alterTable('webhooks', (table) => table.dropColumn('locks'));
  const lacks = 'the database lacks column webhooks.locks, table outbox: run "npx state-service migrate --repair"';
  for (const args of [['serve'], ['deliver']]) {
    const { code, stderr } = await runMain(args, env);
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(`error: DATABASE_URL: ${lacks}`)]);
  }
  for (const args of [['migrate'], ['keys', 'list']])
    expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(lacks) });
  const found = 'the database lacks column webhooks.locks, table outbox';
  expect(await findDatabase()).toMatchObject({
    code: 1,
    found,
    ok: false,
    remedy: expect.stringMatching(/migrate --repair/),
  });
});

test('migrate --repair creates what is missing and nothing else, and a second run creates nothing', async () => {
  const { env, run, knex, findDatabase } = await openComplete();
  const before = await describeColumns(knex, 'outbox');
  await knex.schema.dropTable('outbox');
  await dropIndex(knex, 'session_readings', 'session_readings_by_session');
  await dropIndex(knex, 'deliveries', 'deliveries_by_subject');
  await knex.raw('create index deliveries_by_subject on deliveries (account_id)');
  await knex.raw('create index of_the_operator on deliveries (due_at_ms)');
  const repaired = await run('migrate', '--repair');
  expect(repaired.stderr.split('\n').filter((it) => it.startsWith('Created'))).toEqual([
    'Created index session_readings.session_readings_by_session (account, incarnation, position, digest).',
    'Created table outbox.',
    'Created index deliveries.deliveries_by_subject (account_id, subject_id).',
  ]);
  expect(repaired.code).toBe(0);
  expect(await describeColumns(knex, 'outbox')).toEqual(before);
  expect((await run('migrate', '--repair')).stderr).toBe('All migrations are applied.\n');
  expect(await findDatabase()).toMatchObject({ found: 'responds and accepts writes, schema is current', ok: true });
  await dropIndex(knex, 'deliveries', 'of_the_operator');
  const { service } = await startWithKey(env);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test('a missing index is a warning at the start and a problem for doctor, and its statements still succeed', async () => {
  const { env, run, knex, findDatabase } = await openComplete();
  const { stdout: key } = await run('keys', 'create', '--account', 'acme', '--tier', 'enterprise');
  const dropped = Object.entries(tables).flatMap(([table, { indexes = {} }]) =>
    Object.keys(indexes).map((index) => ({ table, index })),
  );
  for (const { table, index } of dropped) await dropIndex(knex, table, index);
  const lacks = expect.stringMatching(/the database lacks index .*\bsession_readings_by_session \(account, /);
  const service = await startMain({ ...env, LOG_LEVEL: 'warn' });
  await expect.poll(service.stderr).toEqual(lacks);
  expect(await run('migrate')).toMatchObject({ code: 0, stderr: lacks });
  expect(await findDatabase()).toMatchObject({
    code: 1,
    found: lacks,
    ok: false,
    remedy: expect.stringMatching(/migrate --repair/),
  });
  const headers = { 'X-Service-Key': key.trim(), 'Content-Type': 'application/json' };
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ session_id: 's', subject_id: 'p', timestamp, heart_rate: 70 });
  const ask = async (path: string, init = {}) => (await fetch(service.url + path, { headers, ...init })).status;
  expect(await ask('/v1/ingest', { method: 'POST', body })).toBe(200);
  const paths = ['history?session_id=s', 'history?subject_id=p', 'export?session_id=s', 'export?subject_id=p'];
  for (const path of [...paths, 'state?session_id=s', 'subjects/p/summary', 'sessions'])
    expect([path, await ask(`/v1/${path}`)]).toEqual([path, 200]);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await service.stop('SIGTERM');
});

test('every column that a row may lack is created again as it was, and one whose values are lost is not', async () => {
  const { run, knex } = await openComplete();
  // Rows of new databases, and the mark of the first codes of the command before: values that cannot be created again.
  for (const table of ['applied_retention', 'secrets_keys', 'access_entries', 'access_chains'])
    await knex(table).delete();
  const described = [];
  for (const [table, { indexes = {}, unique = {}, ...definition }] of Object.entries(tables)) {
    const { columns, keys } = await describeColumns(knex, table);
    const dropped = listColumns(definition).filter((it) => !keys.includes(it));
    described.push({ table, columns, dropped });
    for (const index of Object.keys({ ...indexes, ...unique })) await dropIndex(knex, table, index);
    if (dropped.length > 0) await knex.schema.alterTable(table, (it) => void it.dropColumns(...dropped));
  }
  const { stderr } = await run('migrate', '--repair');
  for (const { table, columns, dropped } of described) {
    for (const column of dropped) expect(stderr).toContain(`Created column ${table}.${column}.\n`);
    expect((await describeColumns(knex, table)).columns).toEqual(columns);
  }
  await knex('stream_positions').insert({ account_id: 'a', position: 1, erasures: 0 });
  await knex.schema.alterTable('stream_positions', (table) => table.dropColumn('position'));
  const refused = {
    code: 1,
    stderr: expect.stringMatching(/the values of the column stream_positions.position are lost: restore a backup/),
  };
  expect(await run('migrate', '--repair')).toMatchObject(refused);
});
