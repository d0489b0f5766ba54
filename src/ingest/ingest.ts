import type { Submission } from '../contract.js';
import type { Answer } from '../domain/session.js';
import { ProblemError } from '../problem.js';
import type { Store } from '../store/store.js';
import { isTransient } from '../store/transient.js';
import { advanceGroup, type Outcome, type Submitted } from './advance.js';
import { digestOf } from './digest.js';
import { createGroupCommit } from './group-commit.js';
import { retry } from './retry.js';

const groupMax = 256;
const queueMax = 4096;

/** Takes readings in: durable before they are answered, written in groups. */
export interface Ingest {
  /** Resolves with the state of the session after the reading; rejects with the ProblemError that refuses it. */
  submit(accountId: string, submission: Submission, timestampMs: number): Promise<Answer>;
  /** Refuses new readings and resolves when those under way are settled. */
  close(): Promise<void>;
}

export function createIngest(store: Store, digestKey: string, now: () => number): Ingest {
  const groups = createGroupCommit<Submitted, Outcome>({
    commit: (group) => commitGroup(store, group, now),
    groupMax,
    queueMax,
  });
  return {
    async submit(accountId, submission, timestampMs) {
      const digest = digestOf(digestKey, accountId, submission);
      const outcome = await groups.submit({ accountId, submission, timestampMs, digest });
      if ('refusal' in outcome) throw outcome.refusal;
      return outcome.answer;
    },
    close: groups.close,
  };
}

/** A database that stays away fails the whole group at once: trying its readings one by one would only take longer. */
async function commitGroup(store: Store, group: readonly Submitted[], now: () => number): Promise<Outcome[]> {
  try {
    return await retry(() => advanceGroup(store, group, now()), isTransient);
  } catch (error) {
    throw isTransient(error) ? new ProblemError('service_unavailable', { cause: error }) : error;
  }
}
