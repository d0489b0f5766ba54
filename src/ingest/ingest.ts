import type { Submission } from '../contract.js';
import type { Answer } from '../domain/session.js';
import { readTurn, type TopicModel } from '../domain/topics/extract.js';
import type { Store } from '../store/store.js';
import { isTransient } from '../store/transient.js';
import { advanceGroup, type Outcome } from './advance.js';
import { digestOf } from './digest.js';
import { createGroupCommit } from '../group-commit.js';
import { inSpan } from '../in-span.js';
import type { Submitted } from './submitted.js';

/** Bounds a transaction: with three topics each, some 500 rows of triggers. */
const groupMax = 160;
const queueMax = 4096;

export interface IngestParts {
  readonly store: Store;
  readonly topicModel: TopicModel;
  /** Keys the digests by which a resent reading is known. */
  readonly digestKey: string;
  readonly now: () => number;
  /** Told when a commit has put events into the outbox. */
  readonly onEvents: () => void;
  /** Told the size of every group that was committed. */
  readonly observeGroup: (size: number) => void;
}

/** Takes readings in: durable before they are answered, written in groups. */
export interface Ingest {
  /** Resolves with the state of the session after the reading; rejects with the ProblemError that refuses it. */
  submit(accountId: string, submission: Submission, timestampMs: number): Promise<Answer>;
  /** Readings that wait for their group. */
  waiting(): number;
  /** Refuses new readings and resolves when those under way are settled. */
  close(): Promise<void>;
}

export function createIngest(parts: IngestParts): Ingest {
  const groups = createGroupCommit<Submitted, Outcome>({
    commit: (group) => commitGroup(parts, group),
    isOutage: isTransient,
    groupMax,
    queueMax,
  });
  return {
    async submit(accountId, submission, timestampMs) {
      const outcome = await groups.submit(receive(parts, accountId, submission, timestampMs));
      if ('refusal' in outcome) throw outcome.refusal;
      return outcome.answer;
    },
    waiting: groups.waiting,
    close: groups.close,
  };
}

/** The last that is seen of the text: what waits for its group is numbers and a keyed digest. */
function receive(
  { digestKey, topicModel }: IngestParts,
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
    // Here rather than with its group: meanwhile the database is busy with the group before.
    ...(hasTurn && { turn: readTurn(topicModel, { user_message, ai_response }) }),
    digest: digestOf(digestKey, accountId, submission),
  };
}

async function commitGroup(
  { store, now, onEvents, observeGroup }: IngestParts,
  group: readonly Submitted[],
): Promise<Outcome[]> {
  const size = { 'ingest.group_size': group.length };
  const outcomes = await inSpan('ingest group', 'INTERNAL', size, () => advanceGroup(store, group, now()));
  observeGroup(group.length);
  if (outcomes.some((outcome) => 'answer' in outcome && outcome.isTold)) onEvents();
  return outcomes;
}
