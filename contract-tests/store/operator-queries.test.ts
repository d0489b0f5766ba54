import { readFile } from 'node:fs/promises';
import libsql from 'libsql';
import mysql from 'mysql2/promise';
import { readConfig } from '../../src/config/config.js';
import { createKey } from '../../src/keys/manage.js';
import type { Trigger } from '../../packages/score/rows/trigger.js';
import { createKeyTable } from '../../src/store/keys.js';
import { runStatements } from '../../src/store/rows.js';
import { openStore, type Store } from '../../src/store/store.js';
import { createTriggerWriter } from '../../src/store/triggers.js';
import type { TestDatabase } from '../../testkit/databases.js';
import { root } from '../../testkit/service.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';

const startMs = 1_795_334_400_000;
const hourMs = 3_600_000;

/** A query from the guide, with the result table that the guide shows. */
interface DocumentedQuery {
  readonly title: string;
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
}

async function documentedQueries(): Promise<DocumentedQuery[]> {
  const guide = await readFile(new URL('docs/operations.md', root), 'utf8');
  const section = /^## Reading the database\n([^]*?)^## /m.exec(guide)?.[1] ?? '';
  const blocks = section.matchAll(/^([^\n]+):\n\n```sql\n([^]*?)```\n\n((?:\|.*\n)+)/gm);
  return [...blocks].map(([, title = '', sql = '', table = '']) => {
    const [columns = [], , ...rows] = table.trim().split('\n').map(cellsOf);
    return { title, sql, columns, rows };
  });
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Runs the query on a plain connection with the driver's default settings, like an operator's SQL client. */
async function queryPlainly({ url }: TestDatabase, sql: string): Promise<Array<Record<string, unknown>>> {
  const config = readConfig({ DATABASE_URL: url }).database;
  if (config.kind === 'sqlite') {
    const database = new libsql(config.file);
    onTestFinished(() => void database.close());
    return database.prepare(sql).all() as Array<Record<string, unknown>>;
  }
  const connection = await mysql.createConnection({ uri: config.url });
  onTestFinished(() => connection.end());
  return (await connection.query(sql))[0] as Array<Record<string, unknown>>;
}

const triggerOf = (rest: Partial<Trigger>): Trigger => ({
  status: 'active',
  recent: 72,
  scoreSum: 140,
  sightings: 2,
  peakScore: 72,
  sessions: 2,
  lastSeenMs: startMs + hourMs,
  activation: { sessionId: 's2', atMs: startMs + hourMs, resolving: 0 },
  changes: [{ status: 'active', atMs: startMs + hourMs }],
  ...rest,
});

/** Stores the example data of the guide for account `acme`, and data of another account. */
async function fill(store: Store): Promise<void> {
  await store.migrate();
  for (const account of ['acme', 'other'])
    await createKey(store.use(createKeyTable), { account, tier: 'solo' }, startMs);
  const [acme, other] = await Promise.all(
    ['acme', 'other'].map((name) => store.use(createKeyTable).accountByName(name)),
  );
  const triggers = new Map([
    ['debt', triggerOf({})],
    ['exams', triggerOf({ recent: 80.5, peakScore: 91, sightings: 3, lastSeenMs: startMs + 2 * hourMs })],
    ['sleep', triggerOf({ status: 'resolved' })],
  ]);
  await store.transact(async (scopeOf) => {
    const scope = scopeOf(acme?.accountId ?? '');
    await runStatements(scope, createTriggerWriter(scope).toSave(new Map([['user-42', triggers]])));
    await runStatements(scope, createTriggerWriter(scope).toSave(new Map([['user-43', triggers]])));
    const stranger = scopeOf(other?.accountId ?? '');
    await runStatements(stranger, createTriggerWriter(stranger).toSave(new Map([['user-42', triggers]])));
  });
}

/** Converts decimals, which MySQL's driver returns as text. */
const asCell = (value: unknown): string => (Number.isNaN(Number(value)) ? String(value) : String(Number(value)));

test('the query in the operations guide returns the result that it shows', async ({ database }) => {
  const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(store.close);
  await fill(store);
  const queries = await documentedQueries();
  expect(queries.map(({ title }) => title)).toEqual(['Active triggers of a person']);
  for (const { sql, columns, rows } of queries) {
    const found = await queryPlainly(database, sql);
    expect(Object.keys(found[0] ?? {})).toEqual(columns);
    expect(found.map((row) => Object.values(row).map(asCell))).toEqual(rows);
  }
});
