import type { Knex } from 'knex';
import { webhookDelivery } from '../../generated/spec.js';
import { readConfig } from '../../src/config/config.js';
import { createKey } from '../../src/keys/manage.js';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import { openDatabase } from '../../src/store/database.js';
import { createErasedIdTable } from '../../src/store/erased-ids.js';
import { createKeyTable } from '../../src/store/keys.js';
import { createOutboxTable } from '../../src/store/outbox.js';
import { toAccountKey } from '../../src/store/readings.js';
import type { Store } from '../../src/store/store.js';
import { createWebhookTable } from '../../src/store/webhooks.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import { atEndOfFile } from '../../testkit/at-end-of-file.js';
import { batchResults } from '../../testkit/batch.js';
import { databaseKind } from '../../testkit/databases.js';
import { pageEnv } from '../../testkit/person-link.js';
import { shareTestService, type TestService } from '../../testkit/service.js';

export const turn = {
  user_message: 'My performance review is next week',
  ai_response: 'How do you feel about it?',
};
const crowd = 4_000;
const expired = 300;
const accounts = 40;
const [hooks, rules] = [60, 38];
/** Rows of tables that have other bounds: an account has at most 50 rules, each with 100 people. */
const counts: Readonly<Record<string, number>> = { alert_rules: rules, alert_people: 100 * rules };
export const daySeconds = 24 * 60 * 60;
const hourMs = 3_600_000;
/** The epoch that the first registration starts. Its webhook gets the events. */
const firstEpoch = 1;

export interface Statement {
  readonly sql: string;
  readonly bindings: readonly Knex.Value[];
}

/** The service with thousands of rows of one account, and a few rows of others. */
export interface Filled extends TestService {
  /** The store of the service itself. */
  readonly own: Store;
  /** A connection for EXPLAIN: libsql leaves such a statement open, and then the connection cannot commit. */
  readonly plans: Knex;
}

/** Runs the work. Returns every statement that a store executed meanwhile. */
export async function recordStatements(store: Store, work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const record = ({ sql, bindings }: Statement) => void statements.push({ sql, bindings: bindings ?? [] });
  const knex = await store.run(async (it) => it);
  knex.on('query', record);
  await work().finally(() => knex.removeListener('query', record));
  return statements;
}

let own: Store;
/** Keeps the expired readings until a test deletes them. */
const env = { ...pageEnv, RETENTION_READINGS_HOURS: '720' };
const start = shareTestService({ env, onStore: (store) => void (own = store) });
let filled: Promise<Filled> | undefined;

/** Returns the service with the rows of `fill`. All tests share it, because the rows take seconds to store. */
export function startFilled(): Promise<Filled> {
  filled ??= start().then(async (service) => {
    const plans = openDatabase(readConfig({ DATABASE_URL: service.database.url }).database, 'administration');
    atEndOfFile(() => plans.destroy());
    await fill(service, plans);
    return { ...service, own, plans };
  });
  return filled;
}

/**
 * Stores thousands of rows of one account and a few rows of others. A search by account alone is therefore detected as
 * slow.
 */
async function fill(service: TestService, knex: Knex): Promise<void> {
  const { store, clock, accountId } = service;
  for (let index = 0; index < accounts; index++)
    await createKey(store.use(createKeyTable), { account: `account-${index}`, tier: 'solo' }, clock.nowMs);
  await sendReadings(service, 'expired', expired);
  clock.advance(daySeconds + 1);
  await sendReadings(service, 'crowd', crowd);
  await fillWebhooks(service);
  const erased = Array.from({ length: crowd }, (_, index) => pad(index, 32));
  await store.transact(async (scopeOf) => {
    // The purge of `live` must not delete these ids, because the plans are read after the purge.
    await createErasedIdTable(scopeOf(accountId)).add(erased, clock.nowMs + 5 * hourMs);
    await createErasedIdTable(scopeOf(accountId)).add(['f'.repeat(32)], 0);
  });
  for (const [table, toRow] of Object.entries(rowsOf(accountId, clock.nowMs))) {
    const rows = Array.from({ length: counts[table] ?? crowd }, (_, index) => toRow(index));
    await knex.batchInsert(table, rows, 500);
  }
  const old = { chain_id: 'old', seq: 1, at_ms: 0, mac: '' };
  await knex('access_chains').insert({ ...old, key_check: '', signature: '' });
  await knex('access_entries').insert({ ...rowsOf('', 0)['access_entries']?.(0), ...old });
  // The service never runs ANALYZE on SQLite. Neither does the test, so its query plans match those of a deployment.
  if (databaseKind === 'mysql') await knex.raw(`analyze table ${filledTables}`);
}

const filledTables =
  'sessions, session_readings, late_readings, subject_hours, feedback, access_entries, access_subjects, subjects, triggers, api_keys, accounts, webhooks, outbox, deliveries, erased_ids, alert_rules, alert_people, alert_firings';

const pad = (index: number, length: number) => String(index).padStart(length, '0');

/** Sends two readings of each session and person. */
async function sendReadings(service: TestService, name: string, count: number): Promise<void> {
  const readings = Array.from({ length: count }, (_, index) => ({
    session_id: `${name}-${index % (count / 2)}`,
    subject_id: `${name}-${index % (count / 2)}`,
    timestamp: service.clock.at((index - count) / 100),
    heart_rate: 70,
    ...turn,
  }));
  for (let from = 0; from < count; from += 1_000) await batchResults(service, readings.slice(from, from + 1_000));
}

/** Functions that return the row of a table with a number, in the order in which the tables are filled. */
function rowsOf(account_id: string, nowMs: number): Readonly<Record<string, (index: number) => object>> {
  const states = { calm_ms: 1, relaxed_ms: 0, focused_ms: 0, stressed_ms: 0, acute_stress_ms: 0 };
  const person = (index: number) => ({ account_id, subject_id: `crowd-${index % 100}` });
  const alert = (index: number) => ({ account_id, alert_id: `alr_${pad(index % rules, 20)}` });
  return {
    late_readings: (index) => ({
      ...{ account: toAccountKey(account_id), position: -2 * index, incarnation: pad(index % 100, 12) },
      ...{ digest: pad(index, 12), timestamp_ms: nowMs },
    }),
    subject_hours: (index) => ({
      ...{ ...person(index), hour_ms: nowMs - index, ...states, readings: 0, heart_rates: 0, topics: '' },
    }),
    feedback: (index) => ({
      ...{ ...person(index), feedback_id: `fb_${pad(index, 20)}`, session_id: `crowd-${index % 100}` },
      ...{ incarnation: pad(index % 100, 12), stress: 5, timestamp_ms: nowMs - index, recorded_at_ms: nowMs },
    }),
    access_entries: (index) => ({
      ...{ chain_id: 'crowd', seq: index + 1, at_ms: nowMs - index, account_id, key_id: 'k', mac: '' },
      ...{ credential: 'key', action: 'read', operation: 'getState', subject: `crowd-${index % 100}` },
    }),
    access_subjects: (index) => ({
      ...{ account_id, pseudonym: pad(index, 32), subject_id: `crowd-${index}`, code: 'c'.repeat(32) },
      used_at_ms: nowMs - 2 * daySeconds * 1000,
    }),
    alert_rules: (index) => ({
      ...{ ...alert(index), watches_everyone: 0, created_at_ms: nowMs, body: '{"v":1,"condition":"stressed"}' },
    }),
    alert_people: (index) => ({ ...alert(index), subject_id: `crowd-${index}` }),
    alert_firings: (index) => ({
      ...{ ...alert(index), subject_id: `crowd-${index}`, hour_ms: 0, fired_at_ms: nowMs - index * 1_000 },
    }),
  };
}

/**
 * Creates webhooks of one account, their deliveries in every status, and events that are not yet expanded to
 * deliveries.
 */
async function fillWebhooks({ store, accountId, clock: { nowMs } }: TestService): Promise<void> {
  const webhookOf = (index: number) => ({ webhookId: `wh_${index % hooks}`, url: `https://host-${index % 7}.example` });
  const made = { events: ['state_change'], secret: '', failedInRow: 0, createdAtMs: 0, registeredEpoch: 1 } as const;
  const { test_event } = webhookDelivery;
  const payload = { event: 'state_change', ...test_event, timestamp: '2026-11-21T09:30:00.000Z' } as const;
  const deliveries = Array.from({ length: 6_000 }, (_, seq) => {
    const status = (['failed', 'delivered', 'queued', 'due'] as const)[seq % 4] ?? 'due';
    const settledAtMs = seq % 4 < 2 ? nowMs - (seq * 8 * daySeconds * 1000) / 6_000 : null;
    const queued = {
      sessionId: `crowd-${seq % 500}`,
      payload: JSON.stringify(payload),
      dueAtMs: nowMs + seq * 10,
      seq,
    };
    const reason = status === 'failed' && ({ reason: 'disabled' } as const);
    return createDelivery({ ...webhookOf(seq >> 2), accountId }, { ...queued, status, settledAtMs, ...reason });
  });
  const events = Array.from({ length: 800 }, (_, seq) => ({ sessionId: `waiting-${seq % 300}`, seq, payload }));
  await store.transact(async (scopeOf) => {
    const scope = scopeOf(accountId);
    for (let index = 0; index < hooks; index += 1)
      await createWebhookTable(scope).insert({ ...webhookOf(index), ...made, sessionId: 'crowd-1' });
    await createDeliveryTable(scope).insert(deliveries);
    for (let from = 0; from < events.length; from += 100)
      await createOutboxTable(scope).append(events.slice(from, from + 100), firstEpoch, nowMs);
  });
}
