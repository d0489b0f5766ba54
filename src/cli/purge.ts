import type { Config } from '../config/config.js';
import { formatCommandLine } from '../contract/command-line.js';
import { hourMs, planPurge } from '../retention/purge-edges.js';
import { purgeExpired } from '../retention/purge.js';
import { applyRetention, isLargePurge } from '../retention/shortened.js';
import { countExpired, type ExpiredCount } from '../store/count-expired.js';
import { findKeptHours } from '../store/keys.js';
import type { Store } from '../store/store.js';
import { printTable } from './keys.js';

export interface PurgeOptions {
  readonly dryRun: boolean;
  /** Allows a purge that deletes more than half of all readings. */
  readonly confirm: boolean;
  readonly json: boolean;
}

/** Runs work whose progress is shown: `advance` reports one more completed step. */
export type WithProgress = <T>(
  total: number,
  unit: string,
  work: (progress: { advance(): void }) => Promise<T>,
) => Promise<T>;

/** Prints what is expired, and deletes it. Rejects without `confirm` if more than half of all readings are expired. */
export async function purge(
  store: Store,
  config: Config,
  { dryRun, confirm, json }: PurgeOptions,
  withProgress: WithProgress,
): Promise<void> {
  const { database, retention } = config;
  const nowMs = database.kind === 'mysql' ? await store.readClock() : Date.now();
  const { edges } = planPurge(retention, nowMs, await store.run(findKeptHours));
  const counts = await store.run((knex) => countExpired(knex, edges.values()));
  if (dryRun) return printCounts(counts, nowMs, json);
  const readings = counts.find(({ kind }) => kind === 'readings');
  if (readings && readings.expired > 0 && isLargePurge(readings) && !confirm)
    throw new Error(
      `this would delete ${readings.expired} of ${readings.stored} readings, because at ${iso(nowMs)} they are older than ` +
        `${retention.readingsMs / hourMs} hours: check the clock and RETENTION_READINGS_HOURS, then run ` +
        formatCommandLine('purge', '--confirm'),
    );
  await applyRetention(store, retention);
  let left = counts.reduce((sum, { expired }) => sum + expired, 0);
  const deleted = await withProgress(left, 'rows', (progress) =>
    purgeExpired(store, nowMs, retention, {
      onDeleted(rows) {
        // The purge also deletes rows of kinds that are not counted.
        for (let row = 0; row < rows && left > 0; row++, left--) progress.advance();
      },
    }),
  );
  printCounts(counts, nowMs, json);
  if (!json) console.log(`Deleted ${deleted} rows.`);
}

function printCounts(counts: readonly ExpiredCount[], nowMs: number, json: boolean): void {
  if (json) return console.log(JSON.stringify({ time: iso(nowMs), counts }));
  printTable(
    ['KIND', 'STORED', 'EXPIRED'],
    counts.map(({ kind, stored, expired }) => [kind, String(stored), String(expired)]),
  );
  console.log(`Expired at ${iso(nowMs)}, the time of the database.`);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
