import { feedback as settings } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { listReports } from '../store/feedback.js';
import { createSubjectReader } from '../store/subjects.js';
import { compareReports } from './get-agreement.js';
import type { OperationRecord } from './operation.js';

/** Compares the published scores with the reports of a person. The reports of a day (UTC) are one group. */
export const getSubjectAgreement: OperationRecord<'getSubjectAgreement', 'store' | 'pause'> = {
  personalData: 'reads',
  async handle({ store, pause }, { params: { subject_id }, whose }, { accountId }) {
    const scope = store.read(accountId, pause);
    if (!(await createSubjectReader(scope).find(subject_id))) throw new ProblemError('subject_not_found');
    const reports = await listReports(scope, whose, undefined, settings.reports_max);
    const agreement = compareReports(reports, ({ timestampMs }) => new Date(timestampMs).toISOString().slice(0, 10));
    return { status: 200, body: { subject_id, ...agreement } };
  },
};
