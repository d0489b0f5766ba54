import type { MinuteSamples } from '../../packages/recordings/united.js';
import type { Grant } from '../contract/grant.js';
import type { DeviceOfReading } from './device.js';
import type { ReadingContent, UnreadText } from '../../packages/score/signals.js';
import type { MessageCheck } from '../../packages/text/check-message.js';
import type { TurnAnalysis } from '../../packages/text/texts.js';

/**
 * A validated reading that can be stored. It contains no text, because topic detection has reduced the turn to numbers.
 * Plain data, because it is sent to another thread.
 */
export interface PreparedReading {
  readonly accountId: string;
  readonly sessionId: string;
  /** Absent if the reading contains no subject_id. */
  readonly subjectId?: string;
  /** Set for a reading that was sent with a session token, or with a source key. */
  readonly grant?: Grant;
  /** Absent if the reading names its session. */
  readonly device?: DeviceOfReading;
  /** Time of measurement in epoch ms. */
  readonly timestampMs: number;
  /** What the reading states, and the sentiment if it is derived from the text. */
  readonly signals: ReadingContent;
  /** Why a sentiment that the reading asks for is not derived. Absent if it is, and if the reading asks for none. */
  readonly unreadText?: UnreadText;
  /** True for a reading of the past, which does not change the current state and causes no event. */
  readonly isBackfill?: true;
  /** True for a conversation turn (both texts) that is not backfilled. It is rejected if its person was erased since. */
  readonly isLiveTurn?: true;
  /**
   * Topic evidence of the conversation turn. Absent if the reading contains no turn, or a turn that must have no topics.
   */
  readonly turn?: TurnAnalysis;
  /** Result of checking `user_message`, for the response only. Absent for a reading without one and for backfill. */
  readonly check?: MessageCheck;
  /** Absent if the reading names no sample. */
  readonly sample?: SampleIdentity;
  /** Samples of a minute of the history that a source sends, by field. Absent if it has no times of samples. */
  readonly samples?: MinuteSamples;
  /** Absent if the account does not enforce consent. */
  readonly consent?: ConsentCheck;
  /** False if the account forbids that sessions of a person share signals. */
  readonly sharesSignals?: false;
  /** Keyed digest of the request body. Detects resent bodies. */
  readonly digest: string;
  /** Digests with the earlier keys. Absent while SECRETS_KEY holds one key. */
  readonly earlierDigests?: readonly string[];
}

/** The sample of a reading. Two readings of one session and sample have one timestamp, and only one of them is stored. */
export interface SampleIdentity {
  /** Digest of the session and the `sample_id`: `sampleKeyLength` hex characters. */
  readonly key: string;
  /** The reading with the higher revision is stored, of equal ones the later. An integer from 0. */
  readonly revision: number;
  /** Set if a source key sent the reading. Such a reading replaces only readings that source keys sent. */
  readonly isSourced?: true;
}

/** How a reading is checked against the consent of its subject. Plain data. */
export interface ConsentCheck {
  /** True if the account states a medical or safety purpose. */
  readonly hasPurpose: boolean;
  /** Names of the text fields that the reading contains. */
  readonly texts: readonly string[];
  /** False if the texts were not analyzed, because the subject did not allow it. */
  readonly isTextRead: boolean;
}
