import { ProblemError } from '../problem.js';
import type { OperationRecord } from './operation.js';

/** Returns a page of the hours or days of a subject. */
export const getSubjectSummary: OperationRecord<'getSubjectSummary'> = {
  personalData: 'reads',
  async handle({ store }, { params: { subject_id } }, { accountId }) {
    const subject = await store.read(accountId).findSubject(subject_id);
    throw new ProblemError(subject ? 'service_unavailable' : 'subject_not_found');
  },
};
