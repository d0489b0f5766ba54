import type { Knex } from 'knex';
import { serviceRuns as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { toAccountKey } from './readings.js';
import { isMysql, selectRows } from './rows.js';
import { positionsPerMs } from './stream-positions.js';

const absenceMs = settings.absence_seconds * 1000;
const keptMs = settings.kept_days * 24 * 60 * 60 * 1000;
/** Number of newest runs that are read. */
const runsMax = 1_000;

/** A time in which no process ran, in epoch ms. */
export interface Absence {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A row of the table, in epoch ms. */
interface Run {
  readonly started_ms: number;
  readonly seen_ms: number;
}

/**
 * Stores that a process runs. The present run ends if the last sign of a process is older than an absence. Readings are such
 * signs too, because processes of 1.0.0 store no others.
 *
 * Two processes that begin a run at the same time store two rows, whose distance is no absence.
 */
export async function storeRun(knex: Knex, nowMs: number): Promise<void> {
  let newest: Run | undefined = await knex('service_runs').orderBy('started_ms', 'desc').first();
  const isGap = newest && nowMs - newest.seen_ms > absenceMs;
  const readings = newest && isGap ? await findReadingTimes(knex, newest.seen_ms, nowMs) : [];
  for (const run of [...readings, { started_ms: nowMs, seen_ms: nowMs }]) newest = await extend(knex, newest, run);
}

/** Extends the newest run, or begins another one after an absence. Returns the newest run. */
async function extend(knex: Knex, newest: Run | undefined, run: Run): Promise<Run> {
  if (newest && run.started_ms - newest.seen_ms <= absenceMs) {
    const { started_ms } = newest;
    await knex('service_runs')
      .where({ started_ms })
      .where('seen_ms', '<', run.seen_ms)
      .update({ seen_ms: run.seen_ms });
    return { started_ms, seen_ms: Math.max(newest.seen_ms, run.seen_ms) };
  }
  await knex('service_runs').insert(run).onConflict('started_ms').ignore();
  await knex('service_runs')
    .where('seen_ms', '<', run.started_ms - keptMs)
    .delete();
  return run;
}

/** Returns the time from the first to the last reading that was accepted after a time. Empty if there is none. */
async function findReadingTimes(knex: Knex, afterMs: number, nowMs: number): Promise<Run[]> {
  const heads: Array<{ account_id: string; position: number }> = await knex('stream_positions')
    .where('position', '>', afterMs * positionsPerMs)
    .select('account_id', 'position');
  const hint = isMysql(knex) ? ' force index (primary)' : '';
  const times: number[] = [];
  for (const { account_id, position } of heads) {
    // The positions of backfilled readings are negative.
    const sql = `select min(position) as first from session_readings${hint} where account = ? and position > ?`;
    const bindings = [toAccountKey(account_id), afterMs * positionsPerMs];
    const [row] = await selectRows<{ readonly first: number | null }>(knex, { sql, bindings });
    times.push(...[row?.first ?? position, position].map((it) => Math.min(Number(it) / positionsPerMs, nowMs)));
  }
  if (times.length === 0) return [];
  const [started_ms = 0, seen_ms = 0] = [Math.min(...times), Math.max(...times)].map(Math.floor);
  return [{ started_ms, seen_ms }];
}

/** Returns the times without a process, oldest first. One that still lasts ends at `nowMs`. */
export async function findAbsences(knex: Knex, nowMs: number): Promise<Absence[]> {
  const runs: Run[] = await knex('service_runs').orderBy('started_ms', 'desc').limit(runsMax);
  const absences: Absence[] = [];
  let toMs = nowMs;
  for (const { started_ms, seen_ms } of runs) {
    if (toMs - seen_ms > absenceMs) absences.push({ fromMs: seen_ms, toMs });
    toMs = Math.min(toMs, started_ms);
  }
  return absences.reverse();
}

/** Returns the time at which the service has run for `durationMs` since `fromMs`, in epoch ms. Absences ascend. */
export function addObserved(fromMs: number, durationMs: number, absences: readonly Absence[]): number {
  let endMs = fromMs + durationMs;
  for (const absence of absences)
    if (absence.toMs > fromMs && absence.fromMs < endMs) endMs += absence.toMs - Math.max(absence.fromMs, fromMs);
  return endMs;
}

/** Returns the parts of a window that were not observed, as defined in the contract. */
export function toNotObserved(
  absences: readonly Absence[],
  fromMs: number,
  toMs: number,
): { not_observed?: Schema<'NotObserved'> } {
  const parts = absences.filter((it) => it.toMs > fromMs && it.fromMs < toMs);
  if (parts.length === 0) return {};
  const write = (ms: number) => new Date(Math.min(Math.max(ms, fromMs), toMs)).toISOString();
  return { not_observed: parts.map((it) => ({ from: write(it.fromMs), to: write(it.toMs) })) };
}
