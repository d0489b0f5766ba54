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
    if (signalNames.every((name) => signals[name] === undefined)) throw new ProblemError('missing_signals');
    checkAge(now() - timestampMs, maxTimestampAgeMs);
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

function checkAge(ageMs: number, maxAgeMs: number): void {
  if (ageMs > maxAgeMs) throw new ProblemError('timestamp_too_old');
  if (ageMs < -timestamps.max_ahead_seconds * 1000) throw new ProblemError('timestamp_in_future');
}
