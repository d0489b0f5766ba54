import { summaries, timestamps } from '../../generated/spec.js';
import type { RetentionTimes } from '../config/config.js';
import { retentionSettings } from '../config/variables.js';
import { floorHour, stateMs } from '../../packages/score/summary.js';
import type { AccountChoice } from '../store/due-accounts.js';
import { findTables } from '../store/tables/index.js';
import type { TableDefinition } from '../store/tables/table.js';

export const hourMs = 60 * 60 * 1000;
const aheadMaxMs = timestamps.max_ahead_seconds * 1000;

/** Rows of a table that expire, and the time before which a purge deletes them, in epoch ms. */
export interface PurgeEdge {
  /** The table, and the hours of accounts that keep readings for a time of their own. */
  readonly key: string;
  readonly table: string;
  readonly expiry: NonNullable<TableDefinition['expiry']>;
  readonly beforeMs: number;
  /** The accounts of the rows. Absent: all. */
  readonly accounts?: AccountChoice | undefined;
}

/** Tables whose rows expire with the readings. A session stays at least as long as its readings. */
const withReadings = ['session_readings', 'sessions', 'facts'];

/**
 * Returns whether hours are stored at `nowMs`, and the edges of a purge by their key, in the order of the purge. `keptHours`:
 * the hours of accounts that keep readings for a time of their own, which have edges of their own.
 */
export function planPurge(times: RetentionTimes, nowMs: number, keptHours: ReadonlyMap<string, number> = new Map()) {
  const own = new Map([...keptHours.values()].map((hours) => [hours, [] as string[]]));
  for (const [id, hours] of keptHours) own.get(hours)?.push(id);
  own.delete(times.readingsMs / hourMs);
  const others = own.size > 0 ? { ids: [...own.values()].flat(), isOther: true } : undefined;
  const edges = listEdges(times, nowMs).map((it) =>
    withReadings.includes(it.table) ? { ...it, accounts: others } : it,
  );
  for (const [hours, ids] of own) {
    const readingsMs = hours * hourMs;
    const idleSessionsMs = Math.max(times.idleSessionsMs, readingsMs);
    const theirs = listEdges({ ...times, readingsMs, idleSessionsMs }, nowMs);
    for (const it of theirs.filter(({ table }) => withReadings.includes(table)))
      edges.push({ ...it, key: `${it.key} ${hours}`, accounts: { ids, isOther: false } });
  }
  // Sessions after their readings, so that every stored reading has a session.
  const first = ['session_readings', 'sessions'].flatMap((name) => edges.filter(({ table }) => table === name));
  return { storesHours: storesHours(times), edges: new Map([...first, ...edges].map((it) => [it.key, it])) };
}

const storesHours = ({ summariesMs }: RetentionTimes) => summariesMs > 0;

function listEdges(times: RetentionTimes, nowMs: number): PurgeEdge[] {
  const hasHours = storesHours(times);
  const readings = hasHours ? summarizedBefore(nowMs - times.readingsMs) : nowMs - times.readingsMs;
  // A session stays at least as long as its readings.
  const sessions = Math.min(nowMs - times.idleSessionsMs, hasHours ? readings - aheadMaxMs : nowMs);
  const special: Readonly<Record<string, number>> = { session_readings: readings, facts: readings, sessions };
  return findTables(() => true).flatMap(({ name: table, expiry, retention }): PurgeEdge | never[] => {
    if (!expiry) return [];
    const beforeMs = special[table] ?? nowMs - (expiry.maxAgeMs ?? findRetention(times, retention));
    return { key: table, table, expiry, beforeMs: beforeMs - (expiry.graceMs ?? 0) };
  });
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
