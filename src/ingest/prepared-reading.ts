import type { TokenGrant } from '../contract.js';
import type { SignalValues } from '../domain/signals.js';
import type { TurnAnalysis } from '../domain/topics/analyzer.js';

/**
 * A validated reading that can be stored. It contains no text, because topic detection has reduced the turn to numbers.
 */
export interface PreparedReading {
  readonly accountId: string;
  readonly sessionId: string;
  /** Absent if the reading contains no subject_id. */
  readonly subjectId?: string;
  /** Set for a reading that was sent with a session token. */
  readonly grant?: TokenGrant;
  /** Time of measurement, epoch ms. */
  readonly timestampMs: number;
  readonly signals: SignalValues;
  /** True for a reading of the past, which does not change the current state and causes no event. */
  readonly isBackfill?: true;
  /** Topic evidence of the conversation turn. Absent if the reading contains no turn. */
  readonly turn?: TurnAnalysis;
  /** Keyed digest of the request body. Detects resent bodies. */
  readonly digest: string;
  /** Digests with the earlier keys. Absent while SECRETS_KEY holds one key. */
  readonly earlierDigests?: readonly string[];
}
