import type { Schema, State } from './contract.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import type { DerivableName, ReadingContent, HistoryPoint } from '../../packages/score/signals.js';
import { describeAdvice, toEffectiveness, toScoredBefore } from './state-reading.js';
import { findBand } from '../../packages/score/states.js';

/** A stored reading with the results that were stored with it. */
export interface StoredResult extends HistoryPoint {
  /** Absent if the viewer must not know it. */
  readonly sessionId: string | undefined;
  /** Position of the reading in its account: the order of acceptance. */
  readonly position: number;
  readonly isBackfill: boolean;
  /** Subject of the session. Undefined if the session has none. */
  readonly subjectId: string | undefined;
  readonly computed: ComputedState;
  /** State before the reading. Undefined if the reading did not change the state. */
  readonly previousState: State | undefined;
}

/**
 * Returns a stored reading as the contract exports it. `writeInstant` formats epoch ms.
 *
 * `reading` is a body that ingest accepts: it has a subject only if the session had one at that time, and no value that
 * ingest derives again. Its movement is the one that counted: its own, or that of a fact. Ingesting the readings of an export in its order therefore gives the same scores.
 */
export function toExportedReading(
  stored: StoredResult,
  writeInstant: (timestampMs: number) => string,
): Schema<'ExportedReading'> {
  const { sessionId, subjectId, position, isBackfill, timestampMs, measured, computed } = stored;
  const [stated, derived] = splitDerived(measured);
  const { covered } = computed;
  return {
    reading: {
      ...(sessionId !== undefined && { session_id: sessionId }),
      // A session that had a subject at the time of the reading stored the triggers of the subject.
      ...(subjectId !== undefined && computed.triggers && { subject_id: subjectId }),
      timestamp: writeInstant(timestampMs),
      ...stated,
      ...(covered && covered !== 'no_heart' && covered !== 'nothing' && { activity_level: covered }),
      ...(isBackfill && { backfill: true }),
    },
    computed: toComputation(stored, derived),
    cursor: String(position),
  };
}

type Derived = { readonly [Name in DerivableName]?: number };

/** Returns the values that the reading states, and those that the service derived. */
function splitDerived(measured: ReadingContent): [Omit<ReadingContent, 'derived'>, Derived | undefined] {
  const { derived: names, ...all } = measured;
  if (!names) return [all, undefined];
  const isDerived = ([name]: [string, unknown]) => names.includes(name as DerivableName);
  // The text of a derived sentiment is not stored, so an import cannot derive the sentiment again.
  const isStated = (entry: [string, unknown]) => entry[0] === 'sentiment' || !isDerived(entry);
  const entries = Object.entries(all);
  return [Object.fromEntries(entries.filter(isStated)), Object.fromEntries(entries.filter(isDerived)) as Derived];
}

function toComputation(
  { score, confidence, isWeak, model, computed, previousState }: StoredResult,
  derived: Derived | undefined,
): Schema<'ExportedComputation'> {
  const { state } = findBand(score);
  const { received, reason, rrQuality, topics = [], triggers, raised } = computed;
  return {
    state,
    stress_score: score,
    ...toScoredBefore(computed),
    confidence,
    model_version: model,
    ...derived,
    ...(rrQuality && { rr_quality: rrQuality }),
    signals_received: [...received],
    ...describeAdvice({ score, confidence, isWeak, raised }),
    action_reason: reason,
    ...(previousState && { previous_state: previousState }),
    ...toEffectiveness(computed),
    topics_detected: [...topics],
    ...(triggers && {
      active_triggers: [...(triggers.active ?? [])],
      resolved_triggers: [...(triggers.resolved ?? [])],
    }),
  };
}
