import { ProblemError } from '../contract/problem.js';
import { toContractBaseline } from '../../packages/score/subject-profile.js';
import { toStatusChanges } from '../../packages/score/triggers.js';
import { findSubjectSummary } from '../store/subject-summary.js';
import { createTriggerReader } from '../store/triggers.js';
import type { OperationRecord } from './operation.js';

/** Returns the learned data of a subject at the present time. */
export const getSubject: OperationRecord<'getSubject', 'store' | 'now'> = {
  personalData: 'reads',
  async handle({ store, now }, { params: { subject_id } }, { accountId }) {
    const reader = store.read(accountId);
    const found = await findSubjectSummary(reader, subject_id);
    if (!found) throw new ProblemError('subject_not_found');
    const { subject, sessions, firstStartedAtMs, lastStartedAtMs } = found;
    const triggers = await createTriggerReader(reader).ofSubject(subject_id);
    const body = {
      subject_id,
      sessions,
      ...(firstStartedAtMs !== null && { first_session_started_at: new Date(firstStartedAtMs).toISOString() }),
      ...(lastStartedAtMs !== null && { last_session_started_at: new Date(lastStartedAtMs).toISOString() }),
      baseline: toContractBaseline(subject.baseline ?? {}, now()),
      ...(triggers.size > 0 && { status_changes: toStatusChanges(triggers) }),
    };
    return { status: 200, body };
  },
};
