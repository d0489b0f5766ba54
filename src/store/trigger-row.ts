import type { Trigger } from '../score/triggers.js';
import { rowFormats } from './row-formats.js';

/** Columns of a trigger except its key. */
export interface TriggerRow {
  readonly status: Trigger['status'];
  readonly recent_stress: number;
  readonly score_sum: number;
  readonly sightings: number;
  readonly peak_score: number;
  readonly sessions: number;
  readonly last_seen_ms: number;
  readonly activation_session_id: string | null;
  readonly activation_at_ms: number | null;
  readonly resolving_sightings: number | null;
  readonly status_changes: string;
}

export const triggerColumns = [
  'status',
  'recent_stress',
  'score_sum',
  'sightings',
  'peak_score',
  'sessions',
  'last_seen_ms',
  'activation_session_id',
  'activation_at_ms',
  'resolving_sightings',
  'status_changes',
] as const satisfies ReadonlyArray<keyof TriggerRow>;

export function toTriggerRow(trigger: Trigger): TriggerRow {
  const { activation } = trigger;
  return {
    status: trigger.status,
    recent_stress: trigger.recent,
    score_sum: trigger.scoreSum,
    sightings: trigger.sightings,
    peak_score: trigger.peakScore,
    sessions: trigger.sessions,
    last_seen_ms: trigger.lastSeenMs,
    activation_session_id: activation?.sessionId ?? null,
    activation_at_ms: activation?.atMs ?? null,
    resolving_sightings: activation?.resolving ?? null,
    status_changes: rowFormats.statusChanges.encode({ changes: trigger.changes }),
  };
}

export function toTrigger(row: TriggerRow): Trigger {
  return {
    status: row.status,
    recent: row.recent_stress,
    scoreSum: row.score_sum,
    sightings: row.sightings,
    peakScore: row.peak_score,
    sessions: row.sessions,
    lastSeenMs: row.last_seen_ms,
    ...readActivation(row),
    ...rowFormats.statusChanges.decode(row.status_changes),
  };
}

function readActivation(row: TriggerRow): Pick<Trigger, 'activation'> {
  if (row.activation_session_id === null) return {};
  const { activation_session_id: sessionId, activation_at_ms: atMs, resolving_sightings: resolving } = row;
  return { activation: { sessionId, atMs: atMs ?? 0, resolving: resolving ?? 0 } };
}
