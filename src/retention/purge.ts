import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { idempotency } from '../../generated/spec.js';
import { readConfig, type RetentionTimes } from '../config/config.js';
import { createAccessTable } from '../store/accesses.js';
import type { DatabaseClock } from '../store/database-clock.js';
import { type DeletedBatch, deleteOldest } from '../store/delete-oldest.js';
import { findPurgedTo } from '../store/due-accounts.js';
import { type DigestId, purgeErasedIds } from '../store/erased-ids.js';
import { purgeLateReadings } from '../store/expired-readings.js';
import { forgetIssuedSecrets } from '../store/idempotency-keys.js';
import { findKeptHours } from '../store/keys.js';
import { purgeExpiredKeys } from '../store/made-keys.js';
import { retry } from '../store/retry.js';
import type { Store } from '../store/store.js';
import { finishErasures } from './erase.js';
import { hourMs, planPurge, type PurgeEdge } from './purge-edges.js';
import { createRemoveLeftovers } from './remove-leftovers.js';
import { removeStaleSignals } from './remove-live-values.js';
import { createConfirmedRetention } from './shortened.js';
import { createSummarize } from './summarize.js';
import { createTurns } from './turns.js';

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
 * Copies SQLite's log into the database, purges expired rows, completes erasures and scores readings again whose
 * facts have changed. The first round runs immediately, then one round every minute. If the database is unavailable, the next
 * round retries.
 */
export function startRetention(
  store: Store,
  times: RetentionTimes,
  clock: DatabaseClock,
  digestId: DigestId,
  log: Logger,
  scorePending: (signal: AbortSignal) => Promise<void> = async () => {},
) {
  const stop = new AbortController();
  const progress = createPurgeProgress();
  let lastPurgeAtMs: number | undefined;
  let isBehind = false;
  let applied = times;
  const confirmedTimes = createConfirmedRetention(store, times, log);
  const purge = async () => {
    // The purge time may be hours late on SQLite. Secrets must not stay that long.
    await forgetSecrets(store, clock.now());
    const nowMs = await clock.readPurgeTime();
    applied = await confirmedTimes(nowMs);
    if (nowMs === undefined) return;
    lastPurgeAtMs ??= 0;
    // A round is short, so that the next one also deletes what has expired meanwhile.
    const endsAtMs = performance.now() + intervalMs;
    const isOver = () => (isBehind = performance.now() > endsAtMs);
    await purgeExpired(store, nowMs, applied, { signal: stop.signal, isOver, progress });
    if (!isBehind) lastPurgeAtMs = clock.now();
  };
  const removeLeftovers = createRemoveLeftovers(store, digestId, clock.now);
  const attempt = (work: () => Promise<void>) =>
    work().catch((error: unknown) => log.warn({ err: error }, 'cleanup failed'));
  let scoring: Promise<void> | undefined;
  const loop = async () => {
    while (!stop.signal.aborted) {
      const erase = () => finishErasures(store, stop.signal);
      const tidyPeople = () => removeLeftovers(stop.signal);
      // `tidy` runs first: on a full disk, the other steps fail until `tidy` has freed the space of the log.
      // Beside the other steps, which must not wait for the readings of one person.
      scoring ??= attempt(() => scorePending(stop.signal)).finally(() => (scoring = undefined));
      for (const work of [store.sqliteFiles.tidy, purge, erase, tidyPeople]) await attempt(work);
      const waitMs = isBehind ? pauseMostMs : intervalMs;
      isBehind = false;
      await sleep(waitMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    /**
     * Returns the time of the database at the end of the last complete purge, in epoch ms. 0 if no purge was complete,
     * undefined if none has started, for example because an idle SQLite database has no certain time.
     */
    lastPurgeAtMs: () => lastPurgeAtMs,
    /**
     * Returns the age of the oldest row past its retention, of any account, in ms. Undefined before the first batch. Known
     * as of the last batch of each table, so it also grows while purges fail.
     */
    lagMs(): number | undefined {
      const { edges } = planPurge(applied, clock.now(), progress.keptHours);
      const lagsMs = [...progress.oldestMs].map(([key, ms]) => (edges.get(key)?.beforeMs ?? ms) - ms);
      return lagsMs.length > 0 ? Math.max(0, ...lagsMs) : undefined;
    },
    /** Stops the purge. Resolves after the current batch. */
    async close() {
      stop.abort();
      await running;
      await scoring;
    },
  };
}

export interface PurgeOptions {
  /** Ends the purge after the current batch. */
  readonly signal?: AbortSignal | undefined;
  /** Returns true if the purge must end after the current pass. */
  readonly isOver?: () => boolean;
  /** Called after each batch with the number of its rows. */
  readonly onDeleted?: (rows: number) => void;
  /** What the purge before this one has left. */
  readonly progress?: PurgeProgress;
}

export type PurgeProgress = ReturnType<typeof createPurgeProgress>;

/** What a purge keeps between rounds. */
export function createPurgeProgress() {
  const turns = new Map<string, ReturnType<typeof createTurns>>();
  const empty = new Map<string, { readonly beforeMs: number; readonly untilMs: number }>();
  return {
    keptHours: new Map() as ReadonlyMap<string, number>,
    turnsOf(key: string) {
      const those = turns.get(key) ?? createTurns();
      turns.set(key, those);
      return those;
    },
    /** Time of the oldest row of an edge, in epoch ms, as of its last batch. */
    oldestMs: new Map<string, number>(),
    /** Takes the hours of accounts. Other hours change what the edges contain. */
    setKeptHours(hours: ReadonlyMap<string, number>) {
      if (JSON.stringify([...hours]) !== JSON.stringify([...this.keptHours])) empty.clear();
      this.keptHours = hours;
    },
    /**
     * Returns the time before which an edge of some accounts has no rows, in epoch ms, so that a batch does not read again the
     * rows that other accounts keep for longer. It is forgotten after an hour.
     */
    emptyBefore({ key }: PurgeEdge): number {
      const { beforeMs, untilMs } = empty.get(key) ?? { beforeMs: 0, untilMs: 0 };
      return performance.now() < untilMs ? beforeMs : 0;
    },
    /** Stores that an edge has no more rows. A row that was accepted before may be committed within an hour. */
    setEmpty(edge: PurgeEdge) {
      if (edge.accounts && this.emptyBefore(edge) === 0)
        empty.set(edge.key, { beforeMs: edge.beforeMs - hourMs, untilMs: performance.now() + hourMs });
    },
  };
}

/**
 * Deletes expired rows in batches until none remain. Each pass deletes one batch of each table, so that a table with many
 * expired rows does not delay the others. Resolves with the number of deleted rows.
 */
export async function purgeExpired(
  store: Store,
  nowMs: number,
  times: RetentionTimes = readConfig({}).retention,
  options: PurgeOptions = {},
): Promise<number> {
  const { signal, isOver, onDeleted = () => undefined, progress = createPurgeProgress() } = options;
  progress.setKeptHours(await store.run(findKeptHours));
  const { storesHours, edges } = planPurge(times, nowMs, progress.keptHours);
  let pace = computePace(0);
  const summarize = storesHours
    ? createSummarize({
        ...{ store, sinceMs: nowMs - times.summariesMs, signal },
        paced: (work) => paced(work, () => pace, signal),
      })
    : undefined;
  const special: Readonly<Record<string, (edge: PurgeEdge) => Promise<DeletedBatch>>> = {
    session_readings: (edge) => purgeReadings(edge),
    erased_ids: ({ beforeMs }) => store.run((knex) => purgeErasedIds(knex, beforeMs, Math.min(pace.rows, batchRows))),
    source_keys: ({ beforeMs }) => store.run((knex) => purgeExpiredKeys(knex, 'source_keys', beforeMs, batchRows)),
    person_links: ({ beforeMs }) => store.run((knex) => purgeExpiredKeys(knex, 'person_links', beforeMs, batchRows)),
    access_entries: ({ beforeMs }) => store.use(createAccessTable).purge(beforeMs, pace.rows),
  };
  async function purgeReadings(edge: PurgeEdge): Promise<DeletedBatch> {
    const { key, beforeMs, accounts } = edge;
    const part = { accounts, fromMs: progress.emptyBefore(edge) };
    const late = await store.run((knex) => purgeLateReadings(knex, beforeMs, pace.rows, summarize, part));
    if (signal?.aborted) return late;
    const turn = { store, nowMs, beforeMs, accounts, rows: pace.rows, summarize, signal };
    const { rows, hasMore } = await progress.turnsOf(key)(turn);
    const purgedToMs = await store.run((knex) => findPurgedTo(knex, accounts));
    return { rows: late.rows + rows, oldestMs: Math.min(late.oldestMs ?? Infinity, purgedToMs ?? Infinity), hasMore };
  }
  const purgeBatch = (edge: PurgeEdge) => {
    const { table, beforeMs, accounts, expiry } = edge;
    const part = { unless: expiry.unless, key: expiry.key, accounts, fromMs: progress.emptyBefore(edge) };
    const deleted = () => store.run((knex) => deleteOldest(knex, table, expiry.column, beforeMs, pace.rows, part));
    return special[table]?.(edge) ?? deleted();
  };
  await forgetSecrets(store, nowMs);
  let [total, hasMore] = [0, true];
  while (hasMore && !isOver?.()) {
    hasMore = false;
    for (const edge of edges.values()) {
      // Otherwise it would delete sessions whose readings remain, and an erasure would not find these readings.
      if (signal?.aborted) return total;
      pace = computePace(edge.beforeMs - (progress.oldestMs.get(edge.key) ?? Infinity));
      // A statement may lose a deadlock to an erasure.
      const batch = await paced(
        () => retry(() => purgeBatch(edge)),
        () => pace,
        signal,
      );
      progress.oldestMs.set(edge.key, batch.oldestMs ?? Infinity);
      if (batch.rows === 0 && !batch.hasMore && !signal?.aborted) progress.setEmpty(edge);
      onDeleted(batch.rows);
      total += batch.rows;
      hasMore ||= batch.rows > 0 || batch.hasMore === true;
    }
    const removeStale = async () => ({ rows: await removeStaleSignals(store, nowMs, batchRows) });
    const stale = await paced(removeStale, () => computePace(0), signal);
    hasMore ||= stale.rows > 0;
  }
  return total;
}

/** Deletes the secrets of stored responses after the time in which a resend gets them. */
function forgetSecrets(store: Store, nowMs: number): Promise<void> {
  const beforeMs = nowMs - idempotency.secret_minutes * 60_000;
  return retry(() => store.run((knex) => forgetIssuedSecrets(knex, beforeMs)));
}

type FindPace = () => ReturnType<typeof computePace>;

/** Runs a batch and then pauses, unless nothing was left to delete. */
async function paced<T extends DeletedBatch | void>(
  batch: () => Promise<T>,
  findPace: FindPace,
  signal?: AbortSignal,
): Promise<T> {
  const startedAtMs = performance.now();
  const result = await batch();
  const pauseMs = Math.max(pauseLeastMs, findPace().pausePerBatch * (performance.now() - startedAtMs));
  const isLast = result?.rows === 0 && !result.hasMore;
  if (!isLast) await sleep(Math.min(pauseMs, pauseMostMs), undefined, { signal }).catch(() => undefined);
  return result;
}
