import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { idempotency, retention, summaries, timestamps } from '../../generated/spec.js';
import { floorHour, stateMs } from '../domain/summary.js';
import type { DatabaseClock } from '../store/database-clock.js';
import type { Store } from '../store/store.js';
import { finishErasures } from './erase.js';
import { createComputeHours } from './hours.js';
import { createSummarize } from './summarize.js';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** Number of rows per batch. A small batch holds its locks for only a few milliseconds. */
export const batchRows = 200;
/**
 * Pause between batches: `perBatch` × the duration of a batch, from `leastMs` to `mostMs`. It gives ingest priority and
 * grows on a busy machine. A batch that stores hours has pauses of its own, so `mostMs` limits the pause after it.
 */
export const pause = { perBatch: 3, leastMs: 10, mostMs: 1_000 };
const intervalMs = 60_000;
const aheadMaxMs = timestamps.max_ahead_seconds * 1000;

/** How long data is stored, ms. */
export interface RetentionTimes {
  /** After the timestamp of a reading. */
  readonly readingsMs: number;
  /** After the last reading of a session. At least `readingsMs`, so that an erasure finds all readings. */
  readonly idleSessionsMs: number;
  /** After the end of a delivery. */
  readonly deliveriesMs: number;
  /** After the start of an hour of a person. 0: no hours are stored. Undefined: the default of the database. */
  readonly summariesMs?: number | undefined;
  /** After the last access of a chain of the access record. 0: no accesses are recorded. */
  readonly accessesMs: number;
  /** After the time that a report is about. */
  readonly feedbackMs: number;
  /** After an erasure: its keyed digests. Longer than tokens are valid. */
  readonly erasuresMs: number;
}

const defaultTimes: RetentionTimes = {
  readingsMs: retention.readings_hours * hourMs,
  idleSessionsMs: retention.idle_sessions_hours * hourMs,
  deliveriesMs: retention.settled_deliveries_days * dayMs,
  accessesMs: retention.access_days * dayMs,
  feedbackMs: retention.feedback_days * dayMs,
  erasuresMs: retention.erasure_days * dayMs,
};

export interface Retention {
  /**
   * Returns the time of the database at the end of the last complete purge, epoch ms. 0 if no purge was complete,
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
  const purge = async () => {
    // The purge time may be hours late on SQLite. Secrets must not stay that long.
    await forgetSecrets(store, clock.now());
    const nowMs = await clock.readPurgeTime();
    if (nowMs === undefined) return;
    lastPurgeAtMs ??= 0;
    await purgeExpired(store, nowMs, times, stop.signal);
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

/** Deletes expired rows in batches until none remain. Resolves with the number of deleted rows. */
export async function purgeExpired(
  store: Store,
  nowMs: number,
  {
    readingsMs,
    idleSessionsMs,
    deliveriesMs,
    accessesMs,
    feedbackMs,
    erasuresMs,
    ...times
  }: RetentionTimes = defaultTimes,
  signal?: AbortSignal,
): Promise<number> {
  const summariesMs = times.summariesMs ?? (await store.readDefaultSummaryDays()) * dayMs;
  const hoursSinceMs = nowMs - summariesMs;
  const summarize =
    summariesMs === 0
      ? undefined
      : createSummarize({
          ...{ store, computeHours: createComputeHours(), sinceMs: hoursSinceMs, signal },
          paced: (work) => paced(work, signal),
        });
  const readingsBeforeMs = summarize ? summarizedBefore(nowMs - readingsMs) : nowMs - readingsMs;
  const sessionsBeforeMs = Math.min(nowMs - idleSessionsMs, summarize ? readingsBeforeMs - aheadMaxMs : nowMs);
  const readings = () => store.purgeReadings(readingsBeforeMs, batchRows, summarize);
  // After the readings, so that every stored reading has a session.
  const sessions = () => store.purgeSessions(sessionsBeforeMs, batchRows);
  const hours = () => store.purgeHours(hoursSinceMs, batchRows);
  const feedback = () => store.purgeFeedback(nowMs - feedbackMs, batchRows);
  const deliveries = () => store.purgeDeliveries(nowMs - deliveriesMs, batchRows);
  const idempotencyKeys = () => store.purgeIdempotencyKeys(nowMs - idempotency.retention_hours * hourMs, batchRows);
  const erasedIds = () => store.purgeErasedIds(nowMs - erasuresMs, batchRows);
  const accesses = () => store.accesses.purge(nowMs - accessesMs, batchRows);
  const pseudonyms = () => store.accesses.purgePseudonyms(nowMs - accessesMs, batchRows);
  await forgetSecrets(store, nowMs);
  let total = 0;
  const rest = [deliveries, idempotencyKeys, erasedIds, accesses, pseudonyms];
  for (const deleteBatch of [readings, sessions, hours, feedback, ...rest])
    total += await inBatches(deleteBatch, signal);
  return total;
}

/**
 * Returns the time before which readings are deleted, if hours are stored. Only complete hours are stored, so ingest must
 * have rejected readings of the hour for a while (`grace_seconds`). The state of a reading may last into the next hour.
 * Readings therefore stay up to 70 minutes longer.
 */
function summarizedBefore(acceptedSinceMs: number): number {
  return floorHour(acceptedSinceMs - summaries.grace_seconds * 1000) - stateMs;
}

/** Deletes the secrets of stored responses after the time in which a resend gets them. */
function forgetSecrets(store: Store, nowMs: number): Promise<void> {
  return store.forgetIssuedSecrets(nowMs - idempotency.secret_minutes * 60_000);
}

/**
 * Deletes batches until nothing remains or `signal` aborts. An aborted purge starts no further batch. Otherwise it would
 * delete sessions whose readings remain, and an erasure would not find these readings.
 */
async function inBatches(deleteBatch: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const deleted = await paced(deleteBatch, signal);
    total += deleted;
    if (deleted === 0) break;
  }
  return total;
}

/** Runs a batch and then pauses. */
async function paced<T>(batch: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const startedAtMs = performance.now();
  const result = await batch();
  const pauseMs = Math.max(pause.leastMs, pause.perBatch * (performance.now() - startedAtMs));
  // The last batch deletes nothing.
  if (result !== 0) await sleep(Math.min(pauseMs, pause.mostMs), undefined, { signal }).catch(() => undefined);
  return result;
}
