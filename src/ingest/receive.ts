import type { Submission } from '../contract.js';
import { readTurn, type TopicModel } from '../domain/topics/extract.js';
import { digestOf } from './digest.js';
import type { Submitted } from './submitted.js';

export interface ReceiveParts {
  readonly topicModel: TopicModel;
  /** Keys the digests by which a resent reading is known. */
  readonly digestKey: string;
}

/**
 * Makes of a validated submission what is taken in: the last that is seen of its text. It runs where requests come in, so
 * that neither the text nor the time to read it gets into the way of the database.
 */
export type Receive = (accountId: string, submission: Submission) => Submitted;

export function createReceive({ topicModel, digestKey }: ReceiveParts): Receive {
  return (accountId, submission) => {
    const { session_id, subject_id, timestamp, user_message, ai_response, ...signals } = submission;
    const hasTurn = user_message !== undefined && ai_response !== undefined;
    return {
      accountId,
      sessionId: session_id,
      ...(subject_id !== undefined && { subjectId: subject_id }),
      timestampMs: Date.parse(timestamp),
      signals,
      ...(hasTurn && { turn: readTurn(topicModel, { user_message, ai_response }) }),
      digest: digestOf(digestKey, accountId, submission),
    };
  };
}
