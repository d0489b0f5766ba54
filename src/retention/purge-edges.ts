import { summaries, timestamps } from '../../generated/spec.js';
import type { RetentionTimes } from '../config/config.js';
import { retentionSettings } from '../config/variables.js';
import { floorHour, stateMs } from '../../packages/score/summary.js';
import { findTables } from '../store/tables/index.js';
import type { TableDefinition } from '../store/tables/table.js';

export const hourMs = 60 * 60 * 1000;
const aheadMaxMs = timestamps.max_ahead_seconds * 1000;

/** A table whose rows expire, and the time before which a purge deletes them, in epoch ms. */
export interface PurgeEdge {
  readonly table: string;
  readonly expiry: NonNullable<TableDefinition['expiry']>;
  readonly beforeMs: number;
}

/** Returns whether hours are stored at `nowMs`, and the edges of a purge by table, in the order of the purge. */
export function planPurge(times: RetentionTimes, nowMs: number) {
  const storesHours = times.summariesMs > 0;
  const readings = storesHours ? summarizedBefore(nowMs - times.readingsMs) : nowMs - times.readingsMs;
  // A session stays at least as long as its readings.
  const sessions = Math.min(nowMs - times.idleSessionsMs, storesHours ? readings - aheadMaxMs : nowMs);
  const special: Readonly<Record<string, number>> = { session_readings: readings, sessions };
  const edges = findTables(() => true).flatMap(({ name: table, expiry, retention }): PurgeEdge | never[] => {
    if (!expiry) return [];
    const beforeMs = special[table] ?? nowMs - (expiry.maxAgeMs ?? findRetention(times, retention));
    return { table, expiry, beforeMs: beforeMs - (expiry.graceMs ?? 0) };
  });
  // Sessions after their readings, so that every stored reading has a session.
  const first = Object.keys(special).flatMap((name) => edges.filter(({ table }) => table === name));
  return { storesHours, edges: new Map([...first, ...edges].map((it) => [it.table, it])) };
}

function findRetention(times: RetentionTimes, setting: string): number {
  const key = (retentionSettings as Readonly<Record<string, keyof RetentionTimes>>)[setting];
  if (key === undefined) throw new Error(`${setting} is not a retention setting`);
  return times[key];
}

/**
 * Returns the time before which readings are deleted, if hours are stored. Only complete hours are stored, so ingest must
 * have rejected readings of the hour for a while (`grace_seconds`). The state of a reading may last into the next hour.
 * Readings therefore stay up to 70 minutes longer.
 */
function summarizedBefore(acceptedSinceMs: number): number {
  return floorHour(acceptedSinceMs - summaries.grace_seconds * 1000) - stateMs;
}
