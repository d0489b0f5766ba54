import type { Schema } from '../contract.js';
import type { Session } from './session.js';
import { bandOf } from './states.js';

/** What happened in a session, numbered upwards within it, in the shape that receivers get. */
export interface SessionEvent {
  readonly sessionId: string;
  readonly seq: number;
  /** Absent where the session has no subject. */
  readonly subjectId?: string | undefined;
  readonly payload: Schema<'StateChange'>;
}

/** The change of state between two moments of a session, if there was one; a session's first reading changes none. */
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
 * The number of a session's next event. It goes up by one at least, and never back: a session that begins again under
 * its name counts on from the time, epoch ms, which its earlier life cannot have reached with less than one event a ms.
 */
export function nextSeq(session: Session | undefined, nowMs: number): number {
  return Math.max((session?.eventSeq ?? 0) + 1, nowMs);
}
