import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { idempotency, retention, sessionTokens } from '../../generated/spec.js';
import type { DatabaseClock } from '../store/database-clock.js';
import type { Store } from '../store/store.js';
import { finishErasures } from './erase.js';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** Number of rows per batch. A small batch holds its locks for only a few milliseconds. */
export const batchRows = 200;
/**
 * Pause between batches: `perBatch` × the duration of a batch, at least `leastMs`. It gives ingest priority and grows
 * on a busy machine.
 */
export const pause = { perBatch: 3, leastMs: 10 };
const intervalMs = 60_000;

/** How long data is stored, ms. */
export interface RetentionTimes {
  /** After the timestamp of a reading. */
  readonly readingsMs: number;
  /** After the last reading of a session. At least `readingsMs`, so that an erasure finds all readings. */
  readonly idleSessionsMs: number;
  /** After the end of a delivery. */
  readonly deliveriesMs: number;
}

const defaultTimes: RetentionTimes = {
  readingsMs: retention.readings_hours * hourMs,
  idleSessionsMs: retention.idle_sessions_hours * hourMs,
  deliveriesMs: retention.settled_deliveries_days * dayMs,
};

export interface Retention {
  /** Stops the purge. Resolves after the current batch. */
  close(): Promise<void>;
}

/**
 * Copies SQLite's log into the database, purges expired rows and completes erasures. The first round runs immediately,
 * then one round every minute. If the database is unavailable, the next round retries.
 */
export function startRetention(store: Store, times: RetentionTimes, clock: DatabaseClock, log: Logger): Retention {
  const stop = new AbortController();
  const purge = async () => {
    // The purge time may be hours late on SQLite. Secrets must not stay that long.
    await forgetSecrets(store, clock.now());
    const nowMs = await clock.readPurgeTime();
    if (nowMs !== undefined) await purgeExpired(store, nowMs, times, stop.signal);
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
  { readingsMs, idleSessionsMs, deliveriesMs } = defaultTimes,
  signal?: AbortSignal,
): Promise<number> {
  const readings = () => store.purgeReadings(nowMs - readingsMs, batchRows);
  // After the readings, so that every stored reading has a session.
  const sessions = () => store.purgeSessions(nowMs - idleSessionsMs, batchRows);
  const deliveries = () => store.purgeDeliveries(nowMs - deliveriesMs, batchRows);
  const idempotencyKeys = () => store.purgeIdempotencyKeys(nowMs - idempotency.retention_hours * hourMs, batchRows);
  const erasedIds = () => store.purgeErasedIds(nowMs - sessionTokens.erasure_seconds * 1000, batchRows);
  await forgetSecrets(store, nowMs);
  let total = 0;
  for (const deleteBatch of [readings, sessions, deliveries, idempotencyKeys, erasedIds])
    total += await inBatches(deleteBatch, signal);
  return total;
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
    const startedAtMs = performance.now();
    const deleted = await deleteBatch();
    total += deleted;
    if (deleted === 0) break;
    const pauseMs = Math.max(pause.leastMs, pause.perBatch * (performance.now() - startedAtMs));
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return total;
}
