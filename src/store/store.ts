import type { Knex } from 'knex';
import { accessTable, unlinkPerson } from './accesses.js';
import type { DatabaseConfig } from '../config/config.js';
import { type DatabaseUse, openDatabase } from './database.js';
import type { OtherClock } from './database-clock.js';
import { clockQuery } from './inspect-host.js';
import { hasSeveralHosts, inspectHosts } from './mysql-pool.js';
import type { HostEvent } from './mysql-hosts.js';
import { consentReader, consentWriter } from './consents.js';
import { countDeliveries } from './count-deliveries.js';
import { countExpired, type PurgeEdges } from './count-expired.js';
import { endIdleConnections } from './end-idle-connections.js';
import { type DigestId, erasedIdRecord, erasedIdTable, purgeErasedIds } from './erased-ids.js';
import { type Erasure, eraseReadings, eraseSessions, eraseSomeDeliveries, findErasures } from './erasures.js';
import {
  type Claim,
  claimDue,
  type DueDelivery,
  type DueQueue,
  findDueQueues,
  purgeDeliveries,
} from './delivery-queue.js';
import { deliveryTable } from './deliveries.js';
import { eraseSomeFeedback, feedbackReader, feedbackWriter, purgeFeedback } from './feedback.js';
import { failedDeliveryTable } from './failed-deliveries.js';
import { forgetIssuedSecrets, idempotencyKeyTable, purgeIdempotencyKeys } from './idempotency-keys.js';
import type { KnownTriggers } from './known-subject.js';
import { keyTable } from './keys.js';
import { createSchemaCheck, isMigrated, migrate } from './migrate.js';
import { type BoundSession, nameSession, nameSubjects } from './name-subjects.js';
import { peopleTable } from './people.js';
import { findOldestEvent, findSessionsWithEvents, outboxTable } from './outbox.js';
import { type ExpiredReading, findNewestReading, findSubjects, purgeReadings } from './expired-readings.js';
import { readingTable } from './readings.js';
import { receiptKeyTable } from './receipt-keys.js';
import { appliedRetention } from './applied-retention.js';
import { retry, untilAvailable } from './retry.js';
import { runStatements, type Statement } from './run-statements.js';
import { createTurns } from './turns.js';
import { listSessions, type SessionFilter } from './session-list.js';
import { snapshotReader } from './session-snapshot.js';
import { purgeSessions, sessionReader, sessionWriter } from './sessions.js';
import { secretsKeyTable } from './secrets-key.js';
import { createSqliteFiles } from './sqlite-files.js';
import { deliveryLog } from './settled-deliveries.js';
import { findStreamHeads, positionTable } from './stream-positions.js';
import { positionReader } from './readings-by-position.js';
import { eraseSomeHours, hourReader, hourWriter, purgeHours } from './subject-hours.js';
import { findSubjectSummary } from './subject-summary.js';
import { subjectReader, subjectWriter } from './subjects.js';
import { isTransient } from './transient.js';
import { triggerReader, triggerWriter } from './triggers.js';
import { findHealth } from './webhook-health.js';
import { type WebhookId, webhookIdsAfter, webhookTable } from './webhooks.js';
import { usageTable } from './usage.js';
import { createWriteHealth, type ObserveWrite } from './write-health.js';
import { beginWriting, createCaches, type Writing } from './writing.js';

/** Read operations of one account. `inTurn` runs one statement of a snapshot at a time. */
export function createReader(knex: Knex, accountId: string, inTurn = createTurns()) {
  return {
    findSession: sessionReader(knex, accountId).find,
    liveSessions: sessionReader(knex, accountId).live,
    sessions: (filter: SessionFilter, max: number) => listSessions(knex, accountId, filter, max),
    snapshot: snapshotReader(knex, accountId, inTurn),
    readings: positionReader(knex, accountId),
    findSubject: subjectReader(knex, accountId).find,
    findSubjectSummary: (subjectId: string) => findSubjectSummary(knex, accountId, subjectId),
    hours: hourReader(knex, accountId),
    feedback: feedbackReader(knex, accountId),
    consents: consentReader(knex, accountId),
    triggersOf: triggerReader(knex, accountId).ofSubject,
    pointsAfter: readingTable(knex, accountId).pointsAfter,
    webhooks: webhookTable(knex, accountId).list,
    failedDeliveries: failedDeliveryTable(knex, accountId).page,
    deliveryLog: deliveryLog(knex, accountId),
    webhookHealth: (webhookIds: readonly string[]) => findHealth(knex, accountId, webhookIds),
  };
}

/** Write operations of one account. They are available only in a transaction. */
export function writerOf(transaction: Knex.Transaction, accountId: string, writing: Writing) {
  const known: KnownTriggers = new Map();
  return {
    sessions: sessionWriter(transaction, accountId, writing),
    subjects: subjectWriter(transaction, accountId, writing, known),
    triggers: triggerWriter(transaction, accountId, writing, known),
    consents: consentWriter(transaction, accountId),
    hours: hourWriter(transaction, accountId, writing.version),
    feedback: feedbackWriter(transaction, accountId, writing.version),
    readings: readingTable(transaction, accountId),
    positions: positionTable(transaction, accountId),
    run: (statements: readonly Statement[]) => runStatements(transaction, statements),
    webhooks: webhookTable(transaction, accountId),
    outbox: outboxTable(transaction, accountId),
    deliveries: deliveryTable(transaction, accountId),
    failedDeliveries: failedDeliveryTable(transaction, accountId),
    idempotencyKeys: idempotencyKeyTable(transaction, accountId),
    nameSubjects: (bound: readonly BoundSession[]) => nameSubjects(transaction, accountId, bound),
    nameSession: (bound: BoundSession) => nameSession(transaction, accountId, bound),
    erasedIds: erasedIdTable(transaction, accountId),
    eraseSessions: (subjectId: string, nowMs: number) => eraseSessions(transaction, accountId, subjectId, nowMs),
    eraseSomeDeliveries: (subjectId: string, batch: number, nowMs: number) =>
      eraseSomeDeliveries(transaction, accountId, subjectId, batch, nowMs),
    unlinkPerson: (digestId: DigestId, subjectId: string) => unlinkPerson(transaction, digestId, accountId, subjectId),
  };
}

export type Reader = ReturnType<typeof createReader>;
export type Writer = ReturnType<typeof writerOf>;

/**
 * Opens the store, which is the only access to the database. All queries are limited to one account, except those for
 * keys, usage, delivery queues, purges and erasures.
 */
export function openStore(
  config: DatabaseConfig,
  use: DatabaseUse = 'serving',
  onHost?: (event: HostEvent) => void,
  now = Date.now,
) {
  const knex = openDatabase(config, use, onHost);
  const writeHealth = createWriteHealth(() => tryWrite(knex), now);
  const caches = createCaches();
  const sqliteFiles = createSqliteFiles(knex);
  const inTurn = createTurns();
  return {
    ...guardAll(createSchemaCheck(knex), {
      keys: keyTable(knex),
      usage: usageTable(knex),
      accesses: accessTable(knex),
      receiptKeys: receiptKeyTable(knex),
      appliedRetention: appliedRetention(knex),
      secretsKey: secretsKeyTable(knex),
      /**
       * Runs the work in one transaction. When it resolves, all writes are durable. When it rejects, nothing is stored.
       * After a transient error, the work runs again from the start.
       */
      transact: createTransact(knex, caches, writeHealth.observe),
      findNewestReading: () => findNewestReading(knex),
      purgeReadings: (
        beforeMs: number,
        batch: number,
        prepare?: (readings: readonly ExpiredReading[]) => Promise<boolean>,
      ) => purgeReadings(knex, beforeMs, batch, prepare),
      findSubjects: (account: string, incarnations: readonly string[]) => findSubjects(knex, account, incarnations),
      purgeHours: (beforeMs: number, batch: number) => purgeHours(knex, beforeMs, batch),
      purgeFeedback: (beforeMs: number, batch: number) => purgeFeedback(knex, beforeMs, batch),
      countExpired: (edges: PurgeEdges, only?: readonly (keyof PurgeEdges)[]) => countExpired(knex, edges, only),
      purgeSessions: (beforeMs: number, batch: number) => purgeSessions(knex, beforeMs, batch),
      purgeDeliveries: (beforeMs: number, batch: number) => purgeDeliveries(knex, beforeMs, batch),
      purgeIdempotencyKeys: (beforeMs: number, batch: number) => purgeIdempotencyKeys(knex, beforeMs, batch),
      purgeErasedIds: (beforeMs: number, batch: number) => purgeErasedIds(knex, beforeMs, batch),
      forgetIssuedSecrets: (beforeMs: number) => retry(() => forgetIssuedSecrets(knex, beforeMs)),
      findOldestEvent: () => findOldestEvent(knex),
      findSessionsWithEvents: (max: number) => findSessionsWithEvents(knex, max),
      findDueQueues: (): Promise<DueQueue[]> => findDueQueues(knex),
      countDeliveries: () => countDeliveries(knex),
      claimDue: (claim: Claim): Promise<DueDelivery[]> => claimDue(knex, claim),
      findStreamHeads: (accountIds: readonly string[]) => findStreamHeads(knex, accountIds),
      webhookIdsAfter: (after: WebhookId, max: number) => webhookIdsAfter(knex, after, max),
      findErasures: (max: number) => findErasures(knex, max),
      eraseReadings: (erasure: Erasure, batch: number) => retry(() => eraseReadings(knex, erasure, batch)),
      eraseSomeHours: (accountId: string, subjectId: string, batch: number) =>
        retry(() => eraseSomeHours(knex, accountId, subjectId, batch)),
      eraseSomeFeedback: (accountId: string, subjectId: string, batch: number) =>
        retry(() => eraseSomeFeedback(knex, accountId, subjectId, batch)),
    }),
    erasedIds: erasedIdRecord(knex),
    people: peopleTable(knex),
    read: (accountId: string): Reader => createReader(knex, accountId, inTurn),
    findWriteFailure: writeHealth.findFailure,
    tryWrite: () => tryWrite(knex),
    /** Returns the lookups of the row caches of this process. */
    cacheLookups: () => ({ sessions: caches.sessions.lookups(), subjects: caches.subjects.lookups() }),
    sqliteFiles,
    migrate: () => migrateApart(config),
    /** Returns true if the schema is current. Rejects if the database is unavailable. */
    isReady: () => isMigrated(knex),
    /** Returns false if the MySQL server acknowledges commits before they are on disk. */
    isDurable: () => isDurable(knex, config),
    /** Returns the time of the MySQL server, epoch ms. Rejects on SQLite, which has no clock of its own. */
    readClock: () => retry(() => readClock(knex)),
    /** Returns the clocks of all reachable MySQL hosts. Empty if there is one host. */
    readHostClocks: () => readHostClocks(config),
    async close() {
      sqliteFiles.close();
      await knex.destroy();
    },
  };
}

export type Store = ReturnType<typeof openStore>;

/** Functions that return promises. A generator would become a promise, which cannot be iterated. */
interface Functions {
  readonly [name: string]: ((...input: never[]) => PromiseLike<unknown>) | Functions;
}

/** Makes each function of an object, also of nested ones, wait for a check. */
function guardAll<T extends Functions>(check: () => Promise<void>, all: T): T {
  const guarded = Object.entries(all).map(([name, it]) => [
    name,
    typeof it === 'function' ? (...input: never[]) => check().then(() => it(...input)) : guardAll(check, it),
  ]);
  return Object.fromEntries(guarded) as T;
}

/** Work of one transaction. It may run several times. */
type Work<T> = (writerOf: (accountId: string) => Writer) => Promise<T>;

const writes = /^(insert|update|delete)/i;

export function createTransact(
  knex: Knex,
  caches = createCaches(),
  observe: ObserveWrite = () => {},
): <T>(work: Work<T>) => Promise<T> {
  return (work) =>
    retry(async () => {
      const writing = beginWriting(caches);
      let hasWritten = false;
      const done = await knex
        .transaction((transaction) => {
          transaction.on('query', ({ sql }: { sql: string }) => (hasWritten ||= writes.test(sql)));
          return work((accountId) => writerOf(transaction, accountId, writing));
        })
        .catch(async (error: unknown) => {
          if (isTransient(error)) observe(error);
          await endIdleConnections(knex, error);
          throw error;
        });
      for (const keep of writing.afterCommit) keep();
      if (hasWritten) observe();
      return done;
    });
}

/**
 * Writes 60 KB, as much as a group of readings, and deletes them. Commits, because SQLite writes to the disk only then.
 * Rejects if the database accepts no writes.
 */
export function tryWrite(knex: Knex): Promise<void> {
  const key = { account: 'try-write', position: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) };
  const numbers = { timestamp_ms: 0, stress_score: 0, confidence: 0, model_version: 0 };
  const texts = { incarnation: '', digest: '', response: '', signals: 'x'.repeat(60_000) };
  return knex.transaction(async (transaction) => {
    await transaction('session_readings').insert({ ...key, ...numbers, ...texts });
    await transaction('session_readings').where(key).delete();
  });
}

/** Migrates through a separate connection without a statement timeout, because migrations may run for minutes. */
async function migrateApart(config: DatabaseConfig): Promise<void> {
  const knex = openDatabase(config, 'administration');
  try {
    await untilAvailable(() => migrate(knex));
  } finally {
    await knex.destroy();
  }
}

async function readClock(knex: Knex): Promise<number> {
  const [[row]] = await knex.raw(clockQuery);
  return Number(row.microseconds) / 1000;
}

async function readHostClocks(config: DatabaseConfig): Promise<OtherClock[]> {
  if (config.kind === 'sqlite' || !hasSeveralHosts(config.url)) return [];
  return (await inspectHosts(config.url)).flatMap(({ host, aheadMs }) =>
    aheadMs === undefined ? [] : { host, aheadMs },
  );
}

async function isDurable(knex: Knex, config: DatabaseConfig): Promise<boolean> {
  if (config.kind === 'sqlite') return true;
  const [[row]] = await knex.raw('select @@innodb_flush_log_at_trx_commit as flush');
  return Number(row.flush) === 1;
}
