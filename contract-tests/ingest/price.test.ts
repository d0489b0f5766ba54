import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { createDigestId } from '../../src/store/erased-ids.js';
import { processGroup } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/prepared-reading.js';
import { databaseKind } from '../../testkit/databases.js';
import { type Journey, recordJourney } from '../../testkit/journey.js';
import { describeStatement, isFrame, openRequestCost } from '../../testkit/request-cost.js';
import { openMigrated } from '../../testkit/temporary-database.js';

const accountId = 'acc_0123456789abcdef0123';
const nowMs = Date.UTC(2026, 0, 1);
const digestId = createDigestId(['k']);

/** Returns a function that sends a reading to a session with one reading, and returns what the second one costs. */
async function open(hasRules = false) {
  const { knex, store } = await openMigrated();
  await knex('accounts').insert({ account_id: accountId, name: 'a', tier: 'solo', created_at_ms: 0, webhook_epoch: 0 });
  if (hasRules) await addRule(knex);
  const send = (reading: Partial<PreparedReading>, sessionId: string, timestampMs: number) => {
    const digest = randomBytes(6).toString('hex');
    const plain = { accountId, sessionId, timestampMs, digest, signals: { heart_rate: 70 } };
    const grant = reading.grant && { grant: { ...reading.grant, sessionId } };
    return processGroup(store, [{ ...plain, ...reading, ...grant }], nowMs, digestId);
  };
  /** The tables are recorded by default, which takes the time of many readings. */
  return async (reading: Partial<PreparedReading>, hasTables = true) => {
    const sessionId = randomBytes(6).toString('hex');
    await send(reading, sessionId, nowMs - 60_000);
    const statements: string[] = [];
    const listen = ({ sql }: { sql: string }) => {
      if (!isFrame.test(sql)) statements.push(...sql.split('; ').map(describeStatement));
    };
    knex.on('query', listen);
    const second = () => send(reading, sessionId, nowMs);
    const journey = hasTables ? await recordJourney(second) : (await second(), new Map() as Journey);
    knex.off('query', listen);
    const isTable = /(?:Table|Reader|Writer)$/;
    const tables = [...journey].flatMap(([path, calls]) =>
      path.startsWith('src/store/') ? calls.map(({ name }) => name).filter((name) => isTable.test(name)) : [],
    );
    return { statements, tables: [...new Set(tables)].sort() };
  };
}

async function addRule(knex: Knex): Promise<void> {
  const [webhook, rule] = [
    { v: 1, events: ['alert'] },
    { v: 1, condition: 'stressed', minutes: 1 },
  ];
  const key = { account_id: accountId };
  const rest = { url: 'https://a', registered_epoch: 0, body: JSON.stringify(webhook) };
  await knex('webhooks').insert({ ...key, webhook_id: 'wh', ...rest });
  const all = { watches_everyone: 1, created_at_ms: 0, body: JSON.stringify(rule) };
  await knex('alert_rules').insert({ ...key, alert_id: 'alr', ...all });
}

const plain = {
  statements: [
    ...['select sessions', 'select accounts', 'insert sessions'],
    ...['select stream_positions', 'insert session_readings', 'insert stream_positions'],
  ],
  tables: ['createPositionTable', 'createReadingTable', 'createSessionWriter', 'createWebhookTable'],
};

test('a plain reading of a bare account costs six statements and the objects of four tables', async () => {
  const cost = await open();
  expect(await cost({})).toEqual(plain);
});

test.each<[string, Partial<PreparedReading>, { statements: string[]; tables: string[] }]>([
  [
    'a person',
    { subjectId: 'p' },
    { statements: ['select subjects', 'insert subjects'], tables: ['createSubjectWriter'] },
  ],
  [
    'a conversation turn, which an erasure may precede,',
    { subjectId: 'p', isLiveTurn: true },
    {
      statements: ['select subjects', 'insert subjects', 'select erased_ids'],
      tables: ['createSubjectWriter', 'createErasedIdTable'],
    },
  ],
  [
    'a session token',
    { grant: { subjectId: 'p', issuedAtMs: nowMs - 1 } as never },
    { statements: ['select erased_ids'], tables: ['createErasedIdTable'] },
  ],
  ['backfill', { isBackfill: true }, { statements: ['insert late_readings'], tables: [] }],
])('%s adds exactly its own statements and tables', async (_, reading, added) => {
  const { statements, tables } = await (await open())(reading);
  const without = (all: readonly string[], some: readonly string[]) => all.filter((it) => !some.includes(it));
  expect(without(statements, plain.statements).sort()).toEqual([...added.statements].sort());
  expect(without(tables, plain.tables).sort()).toEqual([...added.tables].sort());
  expect(statements).toHaveLength(plain.statements.length + added.statements.length);
});

test('in an account with alert rules, a reading of a person costs no further statement', async () => {
  const [without, withRules] = [await open(), await open(true)];
  const person = { subjectId: 'p' };
  expect((await withRules(person, false)).statements).toEqual((await without(person, false)).statements);
});

const frame = ['BEGIN;', 'COMMIT;'];
const messages = ['operate', 'observeGroup', 'done'];
const timers = ['setTimeout tarn', 'setTimeout tarn'];
/** Two queries of Knex, of which one has two steps, are a batch of statements each. */
const queryListeners = ['start', 'query', 'query-error', 'query-response'].map((it) => `${it} knex`);
const listeners = [
  ...['close src/http/server.ts', 'written src/http/messages.ts', 'close src/http/messages.ts'],
  ...['aborted', 'close', 'data', 'end', 'error'].map((it) => `${it} raw-body`),
  ...[...queryListeners, ...queryListeners, 'query src/store/store.ts'],
];
const texts = { user_message: 'My boss keeps yelling at me about the deadline.', ai_response: 'That sounds hard.' };
const person = ['select subjects', 'insert subjects'];

/**
 * All that a warm reading executes beside functions, over HTTP. `bytes` are those to SQLite, to MySQL and between threads. A
 * change that changes a figure for a reason updates it here. The redo log of MySQL is missing: its counter is that of the
 * whole server, and pages are flushed in the background.
 */
test.each<[string, (index: number) => object, added: string[], bytes: [number, number, number]]>([
  ['a plain reading', () => ({}), [], [2_375, 2_418, 1_405]],
  ['a reading with a person', () => ({ subject_id: 'p' }), person, [3_142, 3_170, 1_463]],
  [
    'a reading with text',
    () => ({ subject_id: 'p', ...texts }),
    [...person, 'select erased_ids', 'insert triggers'],
    [5_427, 5_411, 1_922],
  ],
  [
    'a reading with a sample',
    (index) => ({ subject_id: 'p', sample_id: `sample-${10 + index}` }),
    [...person, 'select late_readings', 'insert late_readings'],
    [3_870, 3_840, 1_531],
  ],
])('%s executes exactly these statements, messages, listeners and timers', async (_, bodyOf, added, bytes) => {
  const recordCost = await openRequestCost();
  const cost = await recordCost((index) => ({ session_id: 's', heart_rate: 70, ...bodyOf(index) }));
  const [sqlite, mysql, threadBytes] = bytes;
  expect({ ...cost, statements: [...cost.statements].sort() }).toEqual({
    ...{ messages, listeners, timers, threadBytes },
    statements: [...frame, ...plain.statements, ...added].sort(),
    databaseBytes: databaseKind === 'sqlite' ? sqlite : mysql,
  });
});
