import { feedback as settings, modelVersion } from '../../generated/spec.js';
import { assessAgreement } from '../domain/agreement.js';
import type { StoredReport } from '../store/feedback.js';
import type { OperationRecord } from './operation.js';

/** Compares the published scores with the reports of all people. The reports of a person are one group. */
export const getAgreement: OperationRecord<'getAgreement'> = {
  personalData: 'reads',
  async handle({ store }, _input, { accountId }) {
    const reports = await store.read(accountId).feedback.page(undefined, undefined, settings.reports_max);
    return {
      status: 200,
      body: compare(reports, ({ subjectId, sessionId }) => JSON.stringify([subjectId, !subjectId && sessionId])),
    };
  },
};

/** Compares reports that have a score of the current model. Scores of other versions are not comparable. */
export function compare(reports: readonly StoredReport[], group: (report: StoredReport) => string) {
  const model = modelVersion.number;
  const scored = reports.flatMap((report) => {
    const { published, stress } = report;
    return published?.model === model ? [{ group: group(report), score: published.score, stress }] : [];
  });
  return { model_version: model, reports: reports.length, ...assessAgreement(scored) };
}
