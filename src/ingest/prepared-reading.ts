import type { SignalValues } from '../domain/signals.js';
import type { TurnReading } from '../domain/topics/reader.js';

/** A validated reading on its way to the database. It holds no text: the conversation turn is reduced to numbers. */
export interface PreparedReading {
  readonly accountId: string;
  readonly sessionId: string;
  /** Absent where the reading names none. */
  readonly subjectId?: string;
  /** When it was measured, epoch ms. */
  readonly timestampMs: number;
  readonly signals: SignalValues;
  /** The topics of its conversation turn; absent without a turn. */
  readonly turn?: TurnReading;
  /** Identifies a resent body. */
  readonly digest: string;
}
