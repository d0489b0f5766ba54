import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { idempotency } from '../../generated/spec.js';
import { readConfig, type RetentionTimes } from '../config/config.js';
import { createAccessTable } from '../store/accesses.js';
import type { DatabaseClock } from '../store/database-clock.js';
import { deleteOldest } from '../store/delete-oldest.js';
import { purgeReadings } from '../store/expired-readings.js';
import { forgetIssuedSecrets } from '../store/idempotency-keys.js';
import { retry } from '../store/retry.js';
import type { Store } from '../store/store.js';
import { finishErasures } from './erase.js';
import { planPurge, type PurgeEdge } from './purge-edges.js';
import { removeStaleSignals } from './remove-live-values.js';
import { createConfirmedRetention } from './shortened.js';
import { createSummarize } from './summarize.js';

/** Number of rows per batch. A small batch holds its locks for only a few milliseconds. */
export const batchRows = 200;
/**
 * Pause between batches: `perBatch` × the duration of a batch, from `leastMs` to `mostMs`. It gives ingest priority and
 * grows on a busy machine. A batch that also stores hourly summaries pauses in between, which adds to its duration:
 * `mostMs` limits the pause after it.
 */
export const batchPause = { perBatch: 3, leastMs: 10, mostMs: 1_000 };
const intervalMs = 60_000;

export interface Retention {
  /**
   * Returns the time of the database at the end of the last complete purge, in epoch ms. 0 if no purge was complete,
   * undefined if none has started, for example because an idle SQLite database has no certain time.
   */
  lastPurgeAtMs(): number | undefined;
  /** Stops the purge. Resolves after the current batch. */
  close(): Promise<void>;
}

/**
 * Copies SQLite's log into the database, purges expired rows and completes erasures. The first round runs immediately,
 * then one round every minute. If the database is unavailable, the next round retries.
 */
export function startRetention(store: Store, times: RetentionTimes, clock: DatabaseClock, log: Logger): Retention {
  const stop = new AbortController();
  let lastPurgeAtMs: number | undefined;
  const confirmedTimes = createConfirmedRetention(store, times, log);
  const purge = async () => {
    // The purge time may be hours late on SQLite. Secrets must not stay that long.
    await forgetSecrets(store, clock.now());
    const nowMs = await clock.readPurgeTime();
    const confirmed = await confirmedTimes(nowMs);
    if (nowMs === undefined) return;
    lastPurgeAtMs ??= 0;
    await purgeExpired(store, nowMs, confirmed, { signal: stop.signal });
    lastPurgeAtMs = clock.now();
  };
  const loop = async () => {
    while (!stop.signal.aborted) {
      const erase = () => finishErasures(store, stop.signal);
      // `tidy` runs first: on a full disk, the other steps fail until `tidy` has freed the space of the log.
      for (const work of [store.sqliteFiles.tidy, purge, erase])
        await work().catch((error: unknown) => log.warn({ err: error }, 'cleanup failed'));
      await sleep(intervalMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    lastPurgeAtMs: () => lastPurgeAtMs,
    async close() {
      stop.abort();
      await running;
    },
  };
}

export interface PurgeOptions {
  /** Ends the purge after the current batch. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch with the number of its rows. */
  readonly onDeleted?: (rows: number) => void;
}

/** Deletes expired rows in batches until none remain. Resolves with the number of deleted rows. */
export async function purgeExpired(
  store: Store,
  nowMs: number,
  times: RetentionTimes = readConfig({}).retention,
  { signal, onDeleted = () => undefined }: PurgeOptions = {},
): Promise<number> {
  const { storesHours, edges } = planPurge(times, nowMs);
  const summarize = storesHours
    ? createSummarize({
        ...{ store, sinceMs: nowMs - times.summariesMs, signal },
        paced: (work) => paced(work, signal),
      })
    : undefined;
  const special: Readonly<Record<string, (beforeMs: number) => Promise<number>>> = {
    session_readings: (beforeMs) => store.run((knex) => purgeReadings(knex, beforeMs, batchRows, summarize)),
    access_entries: (beforeMs) => store.use(createAccessTable).purge(beforeMs, batchRows),
  };
  const purgeTable = ({ table, expiry: { column }, beforeMs }: PurgeEdge) =>
    special[table]?.(beforeMs) ?? store.run((knex) => deleteOldest(knex, table, column, beforeMs, batchRows));
  /** A statement may lose a deadlock to an erasure. */
  const purgeBatch = (edge: PurgeEdge) => retry(() => purgeTable(edge));
  await forgetSecrets(store, nowMs);
  let total = 0;
  for (const edge of edges.values()) total += await inBatches(() => purgeBatch(edge), signal, onDeleted);
  await inBatches(
    () => removeStaleSignals(store, nowMs, batchRows),
    signal,
    () => undefined,
  );
  return total;
}

/** Deletes the secrets of stored responses after the time in which a resend gets them. */
function forgetSecrets(store: Store, nowMs: number): Promise<void> {
  const beforeMs = nowMs - idempotency.secret_minutes * 60_000;
  return retry(() => store.run((knex) => forgetIssuedSecrets(knex, beforeMs)));
}

/**
 * Deletes batches until nothing remains or `signal` aborts. An aborted purge starts no further batch. Otherwise it would
 * delete sessions whose readings remain, and an erasure would not find these readings.
 */
async function inBatches(
  deleteBatch: () => Promise<number>,
  signal: AbortSignal | undefined,
  onDeleted: (rows: number) => void,
): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const deleted = await paced(deleteBatch, signal);
    onDeleted(deleted);
    total += deleted;
    if (deleted === 0) break;
  }
  return total;
}

/** Runs a batch and then pauses. */
async function paced<T>(batch: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const startedAtMs = performance.now();
  const result = await batch();
  const pauseMs = Math.max(batchPause.leastMs, batchPause.perBatch * (performance.now() - startedAtMs));
  // The last batch deletes nothing.
  if (result !== 0) await sleep(Math.min(pauseMs, batchPause.mostMs), undefined, { signal }).catch(() => undefined);
  return result;
}
