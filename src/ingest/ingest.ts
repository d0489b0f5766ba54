import type { Submission } from '../contract.js';
import type { Answer } from '../domain/session.js';
import { readTurn, type TopicModel } from '../domain/topics/extract.js';
import { ProblemError } from '../problem.js';
import type { Store } from '../store/store.js';
import { isTransient } from '../store/transient.js';
import { advanceGroup, type Outcome } from './advance.js';
import { digestOf } from './digest.js';
import { createGroupCommit } from './group-commit.js';
import type { Submitted } from './submitted.js';

/** With three topics each, what SQLite takes in one insert: 500 rows. */
const groupMax = 160;
const queueMax = 4096;

export interface IngestParts {
  readonly store: Store;
  readonly topicModel: TopicModel;
  /** Keys the digests by which a resent reading is known. */
  readonly digestKey: string;
  readonly now: () => number;
}

/** Takes readings in: durable before they are answered, written in groups. */
export interface Ingest {
  /** Resolves with the state of the session after the reading; rejects with the ProblemError that refuses it. */
  submit(accountId: string, submission: Submission, timestampMs: number): Promise<Answer>;
  /** Refuses new readings and resolves when those under way are settled. */
  close(): Promise<void>;
}

export function createIngest(parts: IngestParts): Ingest {
  const groups = createGroupCommit<Submitted, Outcome>({
    commit: (group) => commitGroup(parts, group),
    groupMax,
    queueMax,
  });
  return {
    async submit(accountId, submission, timestampMs) {
      const outcome = await groups.submit(toSubmitted(parts, accountId, submission, timestampMs));
      if ('refusal' in outcome) throw outcome.refusal;
      return outcome.answer;
    },
    close: groups.close,
  };
}

/** The last that is seen of the text: from here on there are numbers and a keyed digest. */
function toSubmitted(
  { topicModel, digestKey }: IngestParts,
  accountId: string,
  submission: Submission,
  timestampMs: number,
): Submitted {
  const { session_id, subject_id, timestamp: _, user_message, ai_response, ...signals } = submission;
  const hasTurn = user_message !== undefined && ai_response !== undefined;
  return {
    accountId,
    sessionId: session_id,
    ...(subject_id !== undefined && { subjectId: subject_id }),
    timestampMs,
    signals,
    ...(hasTurn && { turn: readTurn(topicModel, { user_message, ai_response }) }),
    digest: digestOf(digestKey, accountId, submission),
  };
}

/** A database that stays away fails the whole group at once: trying its readings one by one would only take longer. */
async function commitGroup({ store, now }: IngestParts, group: readonly Submitted[]): Promise<Outcome[]> {
  try {
    return await advanceGroup(store, group, now());
  } catch (error) {
    throw isTransient(error) ? new ProblemError('service_unavailable', { cause: error }) : error;
  }
}
