import { toBaseline } from '../domain/subject-profile.js';
import { ProblemError } from '../problem.js';
import type { OperationRecord } from './operation.js';

/** Returns what the service has learned about a subject, as of now. */
export const getSubject: OperationRecord<'getSubject'> = {
  personalData: 'reads',
  async handle({ store, now }, { params: { subject_id } }, { accountId }) {
    const found = await store.read(accountId).findSubjectSummary(subject_id);
    if (!found) throw new ProblemError('subject_not_found');
    const { subject, sessions, firstStartedAtMs, lastStartedAtMs } = found;
    const body = {
      subject_id,
      sessions,
      ...(firstStartedAtMs !== null && { first_session_started_at: new Date(firstStartedAtMs).toISOString() }),
      ...(lastStartedAtMs !== null && { last_session_started_at: new Date(lastStartedAtMs).toISOString() }),
      baseline: toBaseline(subject.baseline ?? {}, now()),
    };
    return { status: 200, body };
  },
};
