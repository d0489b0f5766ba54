import type { Knex } from 'knex';
import { readiness } from '../../generated/spec.js';
import { findRemedy, isFault } from './retry.js';
import { runStatements } from './rows.js';
import { tables } from './tables/index.js';
import { listColumns } from './tables/table.js';

/** Statements of every kind without rows: the database checks rights, tables and columns before it looks for rows. */
const everyStatement = Object.entries(tables).flatMap(([name, definition]) => {
  const [first, ...others] = listColumns(definition);
  const columns = [first, ...others].join();
  return [
    { sql: `insert into ${name} (${columns}) select ${columns} from ${name} where 1 = 0`, bindings: [] },
    { sql: `update ${name} set ${first} = ${first} where 1 = 0`, bindings: [] },
    { sql: `delete from ${name} where 1 = 0`, bindings: [] },
  ];
});

/**
 * Runs every kind of statement on every table, then writes as much as a group of readings. Rejects if the database
 * rejects one of the statements.
 */
export function tryWrite(knex: Knex): Promise<void> {
  return knex.transaction(async (transaction) => {
    await runStatements({ knex: transaction }, everyStatement);
    await writeRow(transaction, 60_000);
  });
}

/** Writes a row with this many characters and deletes it. The caller commits: SQLite writes to the disk only then. */
async function writeRow(transaction: Knex.Transaction, length: number): Promise<void> {
  const key = { account: 'try-write', position: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) };
  const numbers = { timestamp_ms: 0, stress_score: 0, confidence: 0, model_version: 0 };
  const texts = { incarnation: '', digest: '', response: '', signals: 'x'.repeat(length) };
  await transaction('session_readings').insert({ ...key, ...numbers, ...texts });
  await transaction('session_readings').where(key).delete();
}

/** Time without a commit after which the readiness check writes a row, and after which failed writes end the readiness. */
const quietMs = 1_000 * readiness.failed_writes_seconds;
/** Minimum time between two attempts to write, in ms. Limits the writes that callers of the readiness check cause. */
const tryEveryMs = 1_000;

/** Called with the error of a failed transaction, and without one after a transaction that wrote. */
export type ObserveWrite = (error?: unknown) => void;

/**
 * Follows the writes of a process, because a database that is read-only or full, lacks a table or denies a right still
 * responds to other statements. `now` is in epoch ms.
 */
export function createWriteHealth(knex: Knex, now: () => number) {
  let committedAtMs = now();
  let failure: { readonly sinceMs: number; readonly error: unknown } | undefined;
  let attempt = { atMs: Number.NEGATIVE_INFINITY, ended: Promise.resolve() };
  const fail = (error: unknown) => {
    // Other failures count from the last commit, but another process may lock SQLite for seconds.
    const isLocked = /^SQLITE_BUSY/.test(String((error as { code?: unknown }).code));
    failure = { sinceMs: failure?.sinceMs ?? (isLocked ? now() : committedAtMs), error };
  };
  const succeed = () => {
    committedAtMs = now();
    failure = undefined;
  };
  const isOver = (sinceMs: number) => Math.abs(now() - sinceMs) >= quietMs;
  knex.on('query-error', (error: unknown) => {
    if (isFault(error)) fail(error);
  });
  const observe: ObserveWrite = (error) => {
    if (error !== undefined) fail(error);
    // Only an attempt ends a fault. This commit may not need the table or the right.
    else if (!isFault(failure?.error)) succeed();
  };
  return {
    observe,
    /**
     * Resolves with the cause if writes have failed for 10 s and none succeeded, otherwise with undefined. Tries a write
     * first, because load balancers send no requests to a process that is not ready. After 10 s without a commit, also
     * tries one if none failed, because a process without requests would not notice a failure.
     */
    async findFailure(): Promise<string | undefined> {
      if (isOver(failure?.sinceMs ?? committedAtMs) && performance.now() >= attempt.atMs + tryEveryMs) {
        const write = failure ? tryWrite(knex) : knex.transaction((transaction) => writeRow(transaction, 1));
        attempt = { atMs: performance.now(), ended: write.then(succeed, fail) };
      }
      await attempt.ended;
      if (!failure || !isOver(failure.sinceMs)) return undefined;
      return `the database accepts no writes: ${findRemedy(failure.error) ?? 'see the log of the service'}`;
    },
  };
}
