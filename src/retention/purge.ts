import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { idempotency } from '../../generated/spec.js';
import { readConfig, type RetentionTimes } from '../config/config.js';
import { createAccessTable } from '../store/accesses.js';
import type { DatabaseClock } from '../store/database-clock.js';
import { type DeletedBatch, deleteOldest } from '../store/delete-oldest.js';
import { type DigestId, purgeErasedIds } from '../store/erased-ids.js';
import { purgeReadings } from '../store/expired-readings.js';
import { forgetIssuedSecrets } from '../store/idempotency-keys.js';
import { retry } from '../store/retry.js';
import { purgeExpiredKeys } from '../store/source-keys.js';
import type { Store } from '../store/store.js';
import { finishErasures } from './erase.js';
import { planPurge, type PurgeEdge } from './purge-edges.js';
import { createRemoveLeftovers } from './remove-leftovers.js';
import { removeStaleSignals } from './remove-live-values.js';
import { createConfirmedRetention } from './shortened.js';
import { createSummarize } from './summarize.js';

/** Number of rows of the first batch of a table. A small batch holds its locks for only a few milliseconds. */
export const batchRows = 200;
const batchRowsMost = 1_000;
/** Limits of the pause between batches in ms. A batch that also stores hourly summaries pauses in between, too. */
const [pauseLeastMs, pauseMostMs] = [10, 1_000];
const intervalMs = 60_000;

/**
 * Returns the number of rows of a batch, and the pause after it as a multiple of its duration. The pause gives ingest
 * priority and grows on a busy machine. `lagMs`: age of the oldest row beyond its retention, in ms.
 *
 * With a lag, the batches are larger and the pauses shorter. The pause is never less than half of the batch, so that a
 * third of the time remains for other work.
 */
export function computePace(lagMs: number): { readonly rows: number; readonly pausePerBatch: number } {
  const calm = intervalMs / (intervalMs + Math.max(0, lagMs));
  return {
    rows: Math.round(batchRows * calm + batchRowsMost * (1 - calm)),
    pausePerBatch: 3 * calm + 0.5 * (1 - calm),
  };
}

/**
 * Copies SQLite's log into the database, purges expired rows and completes erasures. The first round runs immediately,
 * then one round every minute. If the database is unavailable, the next round retries.
 */
export function startRetention(
  store: Store,
  times: RetentionTimes,
  clock: DatabaseClock,
  digestId: DigestId,
  log: Logger,
) {
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
  const removeLeftovers = createRemoveLeftovers(store, digestId, clock.now);
  const loop = async () => {
    while (!stop.signal.aborted) {
      const erase = () => finishErasures(store, stop.signal);
      const tidyPeople = () => removeLeftovers(stop.signal);
      // `tidy` runs first: on a full disk, the other steps fail until `tidy` has freed the space of the log.
      for (const work of [store.sqliteFiles.tidy, purge, erase, tidyPeople])
        await work().catch((error: unknown) => log.warn({ err: error }, 'cleanup failed'));
      await sleep(intervalMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    /**
     * Returns the time of the database at the end of the last complete purge, in epoch ms. 0 if no purge was complete,
     * undefined if none has started, for example because an idle SQLite database has no certain time.
     */
    lastPurgeAtMs: () => lastPurgeAtMs,
    /** Stops the purge. Resolves after the current batch. */
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
        paced: (work) => paced(work, () => pace, signal),
      })
    : undefined;
  let pace = computePace(0);
  const special: Readonly<Record<string, (beforeMs: number) => Promise<DeletedBatch>>> = {
    session_readings: (beforeMs) => store.run((knex) => purgeReadings(knex, beforeMs, pace.rows, summarize)),
    erased_ids: (beforeMs) => store.run((knex) => purgeErasedIds(knex, beforeMs, Math.min(pace.rows, batchRows))),
    source_keys: (beforeMs) => store.run((knex) => purgeExpiredKeys(knex, 'source_keys', beforeMs, batchRows)),
    person_links: (beforeMs) => store.run((knex) => purgeExpiredKeys(knex, 'person_links', beforeMs, batchRows)),
    access_entries: (beforeMs) => store.use(createAccessTable).purge(beforeMs, pace.rows),
  };
  const purgeTable = ({ table, expiry: { column }, beforeMs }: PurgeEdge) =>
    special[table]?.(beforeMs) ?? store.run((knex) => deleteOldest(knex, table, column, beforeMs, pace.rows));
  const purgeBatch = async (edge: PurgeEdge) => {
    // A statement may lose a deadlock to an erasure.
    const { rows, oldestMs = edge.beforeMs } = await retry(() => purgeTable(edge));
    pace = computePace(edge.beforeMs - oldestMs);
    return rows;
  };
  await forgetSecrets(store, nowMs);
  let total = 0;
  for (const edge of edges.values())
    total += await repeatPaced(
      () => purgeBatch(edge),
      () => pace,
      signal,
      onDeleted,
    );
  await repeatPaced(
    () => removeStaleSignals(store, nowMs, batchRows),
    () => computePace(0),
    signal,
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
async function repeatPaced(
  deleteBatch: () => Promise<number>,
  findPace: FindPace,
  signal: AbortSignal | undefined,
  onDeleted: (rows: number) => void = () => undefined,
): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const deleted = await paced(deleteBatch, findPace, signal);
    onDeleted(deleted);
    total += deleted;
    if (deleted === 0) break;
  }
  return total;
}

type FindPace = () => ReturnType<typeof computePace>;

/** Runs a batch and then pauses. */
async function paced<T>(batch: () => Promise<T>, findPace: FindPace, signal?: AbortSignal): Promise<T> {
  const startedAtMs = performance.now();
  const result = await batch();
  const pauseMs = Math.max(pauseLeastMs, findPace().pausePerBatch * (performance.now() - startedAtMs));
  // The last batch deletes nothing.
  if (result !== 0) await sleep(Math.min(pauseMs, pauseMostMs), undefined, { signal }).catch(() => undefined);
  return result;
}
