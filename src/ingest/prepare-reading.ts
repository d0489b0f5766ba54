import { timestamps } from '../../generated/spec.js';
import type { Caller, Submission } from '../contract.js';
import { categoriesOf, signalNames } from '../domain/signals.js';
import type { TopicModel } from '../domain/topics/model.js';
import { createTopicAnalyzer, type TopicAnalyzer } from '../domain/topics/analyzer.js';
import { ProblemError } from '../problem.js';
import { digestOf } from './digest.js';
import type { PreparedReading } from './prepared-reading.js';

export interface PrepareReadingParts {
  /** Returns the topic model. Called for the first reading with text. */
  readonly topicModel: () => TopicModel;
  /** Keys of the digests that detect resent readings, the newest first. */
  readonly digestKeys: readonly [string, ...string[]];
  /** Returns the current time, epoch ms. */
  readonly now: () => number;
  readonly maxTimestampAgeMs: number;
  /** Maximum age of the timestamp of a backfilled reading: the retention of readings. */
  readonly maxBackfillAgeMs: number;
}

/**
 * Converts a validated submission to a reading that can be stored. Throws a ProblemError if the submission has no
 * signal, or if its timestamp is too old or too far in the future.
 */
export type PrepareReading = (caller: Caller, submission: Submission) => PreparedReading;

/**
 * Returns a function that runs on the HTTP thread. The text never leaves this thread, and topic detection never delays
 * the database.
 */
export function createPrepareReading(parts: PrepareReadingParts): PrepareReading {
  const { topicModel, now, maxTimestampAgeMs, maxBackfillAgeMs } = parts;
  const [digestKey, ...earlierKeys] = parts.digestKeys;
  let analyzer: TopicAnalyzer | undefined;
  return ({ accountId, grant }, { backfill: isBackfill = false, ...submission }) => {
    const { session_id, subject_id, timestamp, user_message, ai_response, ...signals } = submission;
    const timestampMs = Date.parse(timestamp);
    // Cheap checks run first, so that a rejected reading needs no topic detection.
    if (categoriesOf(signals).length === 0)
      throw new ProblemError('missing_signals', { hint: { signals: [...signalNames, 'rr_intervals_ms'].join(', ') } });
    checkAge(timestampMs, now(), isBackfill ? maxBackfillAgeMs : maxTimestampAgeMs);
    const hasTurn = !isBackfill && user_message !== undefined && ai_response !== undefined;
    return {
      accountId,
      sessionId: session_id,
      ...(subject_id !== undefined && { subjectId: subject_id }),
      ...(grant && { grant }),
      timestampMs,
      signals,
      ...(isBackfill && { isBackfill }),
      ...(hasTurn && {
        turn: (analyzer ??= createTopicAnalyzer(topicModel())).analyzeTurn({ user_message, ai_response }),
      }),
      // Does not cover `backfill`, so that a resend of a reading as backfill is detected.
      digest: digestOf(digestKey, accountId, submission),
      ...(earlierKeys.length > 0 && {
        earlierDigests: earlierKeys.map((key) => digestOf(key, accountId, submission)),
      }),
    };
  };
}

function checkAge(timestampMs: number, nowMs: number, maxAgeMs: number): void {
  const ageMs = nowMs - timestampMs;
  const maxAheadMs = timestamps.max_ahead_seconds * 1000;
  const now = new Date(nowMs).toISOString();
  if (ageMs > maxAgeMs)
    throw new ProblemError('timestamp_too_old', { hint: { age: seconds(ageMs), max: seconds(maxAgeMs), now } });
  if (ageMs < -maxAheadMs)
    throw new ProblemError('timestamp_in_future', { hint: { ahead: seconds(-ageMs), max: seconds(maxAheadMs), now } });
}

/** Formats seconds with milliseconds, so that a value just above the limit does not look equal to the limit. */
function seconds(ms: number): string {
  return String(Math.round(ms) / 1000);
}
