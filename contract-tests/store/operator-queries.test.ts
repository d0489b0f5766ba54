import { readFile } from 'node:fs/promises';
import libsql from 'libsql';
import mysql from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { createKey } from '../../src/keys/manage.js';
import type { Trigger } from '../../src/score/triggers.js';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import type { Delivery } from '../../src/store/delivery-row.js';
import { createKeyTable } from '../../src/store/keys.js';
import { createReadingTable } from '../../src/store/readings.js';
import { runStatements } from '../../src/store/rows.js';
import type { WriteScope } from '../../src/store/scope.js';
import { openStore, type Store } from '../../src/store/store.js';
import { createTriggerWriter } from '../../src/store/triggers.js';
import { createWebhookTable } from '../../src/store/webhooks.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import type { TestDatabase } from '../../testkit/databases.js';
import { root } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';

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
    await fillWebhooks(scope);
    await runStatements(scope, createReadingTable(scope).toAppend([30, 33, 60, 61, 72].map(readingOf), 2));
  });
}

async function fillWebhooks(scope: WriteScope): Promise<void> {
  const [a, b] = ['a', 'b'].map((name) => ({
    accountId: 'acme',
    webhookId: `wh_${name}`,
    url: `https://${name}.example/hooks`,
  }));
  const rest = {
    events: ['state_change'],
    secret: '',
    failedInRow: 4,
    createdAtMs: startMs,
    registeredEpoch: 1,
  } as const;
  if (!a || !b) return;
  for (const { webhookId, url } of [a, b]) await createWebhookTable(scope).insert({ webhookId, url, ...rest });
  const failed = { sessionId: 's1', payload: '{}', dueAtMs: startMs, status: 'failed' } as const;
  const settledAt = (second: number, reason: Delivery['reason']) =>
    ({ ...failed, reason, settledAtMs: startMs + 2 * hourMs + second * 1000 }) as const;
  await createDeliveryTable(scope).insert([
    ...[0, 1, 2].map((second) => createDelivery(a, settledAt(second, 'attempts_exhausted'))),
    createDelivery(b, settledAt(3, 'disabled')),
    createDelivery(b, { ...settledAt(4, null), status: 'delivered' }),
  ]);
}

/** Returns a reading. Two readings are in the first hour, the others in the next hour. */
const readingOf = (score: number, index: number) => {
  const timestampMs = startMs + (index < 2 ? 0 : hourMs) + index * 1000;
  const key = { sessionId: 's1', incarnation: '0'.repeat(12), timestampMs, digest: '0'.repeat(12) };
  const point = { timestampMs, score, confidence: 0.5, model: 2, measured: { heart_rate: 70 } };
  const computed = { timestampMs, score, confidence: 0.5, model: 1, learned: 0, received: [], reason: 'Calm voice.' };
  return { ...key, point, computed, stateChange: undefined };
};

/** Converts decimals, which MySQL's driver returns as text. */
const asCell = (value: unknown): string => (Number.isNaN(Number(value)) ? String(value) : String(Number(value)));

test('the queries in the operations guide return the results that it shows', async () => {
  const database = await temporaryDatabase();
  const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(store.close);
  await fill(store);
  const queries = await documentedQueries();
  expect(queries.map(({ title }) => title)).toEqual(['Active triggers of a person', 'Failed deliveries by webhook']);
  for (const { sql, columns, rows } of queries) {
    const found = await queryPlainly(database, sql);
    expect(Object.keys(found[0] ?? {})).toEqual(columns);
    expect(found.map((row) => Object.values(row).map(asCell))).toEqual(rows);
  }
});
