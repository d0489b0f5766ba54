import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { createDigestId } from '../../src/store/erased-ids.js';
import { processGroup } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/prepared-reading.js';
import { recordJourney } from '../../testkit/journey.js';
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
  return async (reading: Partial<PreparedReading>) => {
    const sessionId = randomBytes(6).toString('hex');
    await send(reading, sessionId, nowMs - 60_000);
    const statements: string[] = [];
    const isFrame = /^(?:begin|commit)/i;
    const listen = ({ sql }: { sql: string }) => {
      if (!isFrame.test(sql)) statements.push(...sql.split('; ').map(describe));
    };
    knex.on('query', listen);
    const journey = await recordJourney(() => send(reading, sessionId, nowMs));
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

/** Returns the verb and the table of a statement. */
function describe(sql: string): string {
  const whole = sql.replaceAll(/\(select[^()]*\)/g, '');
  const [, verb, table] = /^(\w+).*?\b(?:from|into|update)\s+[`"]?(\w+)/is.exec(whole) ?? [undefined, sql];
  return table === undefined ? String(verb) : `${verb} ${table}`;
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
  expect((await withRules(person)).statements).toEqual((await without(person)).statements);
});
