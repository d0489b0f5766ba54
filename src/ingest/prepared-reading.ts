import type { SignalValues } from '../domain/signals.js';
import type { TurnAnalysis } from '../domain/topics/analyzer.js';

/** A validated reading, ready to be stored. It contains no text: topic detection has reduced the turn to numbers. */
export interface PreparedReading {
  readonly accountId: string;
  readonly sessionId: string;
  /** Absent if the reading names no subject. */
  readonly subjectId?: string;
  /** Time of measurement, epoch ms. */
  readonly timestampMs: number;
  readonly signals: SignalValues;
  /** Topic evidence of the conversation turn. Absent without a turn. */
  readonly turn?: TurnAnalysis;
  /** Keyed digest of the request body. Detects resent bodies. */
  readonly digest: string;
}
