import { setImmediate as runOtherWork } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { DatabaseConfig } from '../config/config.js';
import type { OtherClock } from './database-clock.js';
import { type DatabaseUse, openDatabase, withDatabase } from './database.js';
import { clockQuery } from './inspect-host.js';
import { isMigrated, leaseMs as schemaLeaseMs, migrate, readApplied } from './migrate.js';
import { createMissingParts, requireParts } from './missing-parts.js';
import type { HostEvent } from './mysql-hosts.js';
import { hasSeveralHosts, inspectHosts } from './mysql-pool.js';
import { endIdleConnections, isTransient, retry, untilAvailable } from './retry.js';
import { copyEvidence, type Evidence, keepEvidence, transactCoded } from './row-codes.js';
import { isMysql } from './rows.js';
import { beginWriting, createCaches, type Pause, type SlicedScope, toWriteScope, type WriteScope } from './scope.js';
import { createSqliteFiles } from './sqlite-files.js';
import { createWriteHealth, type ObserveWrite, tryWrite } from './write-health.js';

/**
 * Opens the store, which is the only access to the database. The modules of the tables contain the statements. They get
 * one account (`read` and `transact`), or all accounts (`run` and `use`), e.g. for keys, delivery queues and purges.
 */
export function openStore(
  config: DatabaseConfig,
  databaseUse: DatabaseUse = 'serving',
  onHost?: (event: HostEvent) => void,
  now = Date.now,
) {
  const knex = openDatabase(config, databaseUse, onHost);
  const writeHealth = createWriteHealth(knex, now);
  const caches = createCaches();
  const sqliteFiles = createSqliteFiles(knex);
  const checkSchema = createSchemaCheck(knex);
  const transact = createTransact(knex, caches, writeHealth.observe);
  return {
    /** Returns the scope for reads of one account. By default, each pause of a long read lets other work run. */
    read: (accountId: string, pause: Pause = () => runOtherWork()): SlicedScope => ({ knex, accountId, pause }),
    /**
     * Runs the work in one transaction. When it resolves, all writes are durable. When it rejects, nothing is stored.
     * After a transient error, the work runs again from the start.
     */
    async transact<T>(work: Work<T>): Promise<T> {
      await checkSchema();
      return transact(work);
    },
    /** Runs work over all accounts. Rejects if a newer version has changed the schema. */
    async run<T>(work: (knex: Knex) => Promise<T>): Promise<T> {
      await checkSchema();
      return work(knex);
    },
    /**
     * Returns the functions of a table over all accounts. Each call rejects if a newer version has changed the schema.
     */
    use: <T extends Functions>(table: (knex: Knex) => T): T => guardAll(checkSchema, table(knex)),
    /** Runs queries of a command on one snapshot of the database, without blocking writers. */
    readSnapshot: <T>(work: (knex: Knex) => Promise<T>): Promise<T> => readSnapshot(knex, work),
    /** Lets this process code the rows that it writes. */
    keepEvidence: (evidence: Evidence) => keepEvidence(knex, evidence),
    isEmbedded: config.kind === 'sqlite',
    /** Runs work on a separate connection, which waits several seconds for the lock of another process. */
    administer: <T>(work: (knex: Knex) => Promise<T>): Promise<T> =>
      withDatabase(config, (apart) => {
        copyEvidence(knex, apart);
        return work(apart);
      }),
    /** Iterates over the rows of all accounts, for a restore. */
    iterate: <T>(pages: (knex: Knex) => AsyncGenerator<T>): AsyncGenerator<T> => pages(knex),
    findWriteFailure: writeHealth.findFailure,
    tryWrite: () => tryWrite(knex),
    /** Returns the lookups of the row caches of this process. */
    cacheLookups: () => ({ sessions: caches.sessions.lookups(), subjects: caches.subjects.lookups() }),
    sqliteFiles,
    /**
     * Migrates through a separate connection without a statement timeout, because migrations may run for minutes. Then
     * rejects with a SchemaError if tables or columns are missing. Resolves with the missing indexes. With `repairs`,
     * creates what is missing, and resolves with it.
     */
    migrate: (repairs = false) =>
      withDatabase(config, (apart) =>
        untilAvailable(async () => {
          await migrate(apart);
          return repairs ? createMissingParts(apart) : requireParts(apart, true);
        }),
      ),
    requireParts: () => requireParts(knex),
    /** Returns true if the schema is current. Rejects if the database is unavailable. */
    isReady: () => isMigrated(knex),
    /** Returns false if the MySQL server acknowledges commits before they are on disk. */
    isDurable: () => isDurable(knex, config),
    /** Returns the time of the MySQL server, in epoch ms. Rejects on SQLite, which has no clock of its own. */
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

/**
 * Returns a function that rejects with a SchemaError as soon as a newer version has changed the schema so that this
 * version cannot use it. The function reads the ledger once per lease.
 */
function createSchemaCheck(knex: Knex): () => Promise<void> {
  let validUntilMs = Number.NEGATIVE_INFINITY;
  let check: Promise<void> | undefined;
  const readLedger = async () => {
    const startedAtMs = performance.now();
    await readApplied(knex);
    validUntilMs = startedAtMs + schemaLeaseMs;
  };
  return async () => {
    if (performance.now() < validUntilMs) return;
    check ??= readLedger().finally(() => (check = undefined));
    await check;
  };
}

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
type Work<T> = (scopeOf: (accountId: string) => WriteScope) => Promise<T>;

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
      const done = await transactCoded(knex, (transaction) => {
        transaction.on('query', ({ sql }: { sql: string }) => (hasWritten ||= writes.test(sql)));
        return work((accountId) => toWriteScope(transaction, writing, accountId));
      }).catch(async (error: unknown) => {
        if (isTransient(error)) observe(error);
        await endIdleConnections(knex, error);
        throw error;
      });
      for (const keep of writing.afterCommit) keep();
      if (hasWritten) observe();
      return done;
    });
}

async function readSnapshot<T>(knex: Knex, work: (knex: Knex) => Promise<T>): Promise<T> {
  if (isMysql(knex)) return knex.transaction(work, { isolationLevel: 'repeatable read' });
  // The only connection. A transaction of Knex would take the write lock (LibsqlClient).
  await knex.raw('begin deferred');
  return work(knex).finally(() => knex.raw('rollback'));
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
