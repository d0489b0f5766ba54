import type { Schema } from '../contract/contract.js';
import type { Session } from './session.js';
import { bandOf } from './states.js';

/** A session event in the format that receivers get. `seq` increases with each event of the session. */
export interface SessionEvent {
  readonly sessionId: string;
  readonly seq: number;
  /** Absent if the session has no subject. */
  readonly subjectId?: string | undefined;
  readonly payload: Schema<'StateChange'>;
}

/**
 * Returns the state change between two readings. Undefined if the state is the same, and for the first reading of a
 * session.
 */
export function changeOf(
  sessionId: string,
  before: Session | undefined,
  after: Session,
): Schema<'StateChange'> | undefined {
  if (!before) return undefined;
  const [previous, next] = [bandOf(before.latest.score).state, bandOf(after.latest.score).state];
  if (previous === next) return undefined;
  return {
    event: 'state_change',
    session_id: sessionId,
    previous_state: previous,
    new_state: next,
    stress_score: after.latest.score,
    timestamp: new Date(after.latest.timestampMs).toISOString(),
  };
}

/**
 * Returns the number of the session's next event, always higher than the last one. The first number is the current time,
 * epoch ms. The numbers of a restarted session with the same id are therefore higher than those of the earlier session,
 * unless that one had more than one event per ms.
 */
export function nextSeq(session: Session | undefined, nowMs: number): number {
  return Math.max((session?.eventSeq ?? 0) + 1, nowMs);
}
