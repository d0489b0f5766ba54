import { timestamps } from '../../generated/spec.js';
import type { Caller, Submission } from '../contract.js';
import { signalNames } from '../domain/signals.js';
import type { TopicModel } from '../domain/topics/model.js';
import { createTopicReader } from '../domain/topics/reader.js';
import { ProblemError } from '../problem.js';
import { digestOf } from './digest.js';
import type { PreparedReading } from './prepared-reading.js';

export interface PrepareReadingParts {
  readonly topicModel: TopicModel;
  /** Keys the digests that identify resent readings. */
  readonly digestKey: string;
  /** The clock, epoch ms. */
  readonly now: () => number;
  readonly maxTimestampAgeMs: number;
}

/**
 * Turns a validated submission into the reading that is stored. Throws the ProblemError of a submission without a
 * signal, or with a timestamp that is too old or too far ahead.
 */
export type PrepareReading = (caller: Caller, submission: Submission) => PreparedReading;

/** Runs on the thread that serves HTTP: the text never leaves it, and reading the text never delays the database. */
export function createPrepareReading(parts: PrepareReadingParts): PrepareReading {
  const { topicModel, digestKey, now, maxTimestampAgeMs } = parts;
  const { readTurn } = createTopicReader(topicModel);
  return ({ accountId }, submission) => {
    const { session_id, subject_id, timestamp, user_message, ai_response, ...signals } = submission;
    const timestampMs = Date.parse(timestamp);
    // Cheap checks first: the text of a refused reading is not read.
    if (signalNames.every((name) => signals[name] === undefined))
      throw new ProblemError('missing_signals', { hint: { signals: signalNames.join(', ') } });
    checkAge(timestampMs, now(), maxTimestampAgeMs);
    const hasTurn = user_message !== undefined && ai_response !== undefined;
    return {
      accountId,
      sessionId: session_id,
      ...(subject_id !== undefined && { subjectId: subject_id }),
      timestampMs,
      signals,
      ...(hasTurn && { turn: readTurn({ user_message, ai_response }) }),
      digest: digestOf(digestKey, accountId, submission),
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

/** To the millisecond, so that a value just over the limit does not read like the limit. */
function seconds(ms: number): string {
  return String(Math.round(ms) / 1000);
}
