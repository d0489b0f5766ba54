import type { SignalValues } from '../domain/signals.js';
import type { TurnReading } from '../domain/topics/extract.js';

/** A validated reading on its way into the database. It holds no text: what was said has become numbers. */
export interface Submitted {
  readonly accountId: string;
  readonly sessionId: string;
  /** Absent where the reading names none. */
  readonly subjectId?: string;
  /** When it was sensed, epoch ms. */
  readonly timestampMs: number;
  readonly signals: SignalValues;
  /** What its conversation turn says about topics; absent without one. */
  readonly turn?: TurnReading;
  readonly digest: string;
}
