import { facts, feedback as settings, modelVersion } from '../../generated/spec.js';
import { assessAgreement } from './agreement.js';
import { countByKind } from '../store/facts.js';
import { listReports, type StoredReport } from '../store/feedback.js';
import type { OperationRecord } from './operation.js';

/**
 * Compares the published scores with the reports of all people, and counts the facts with which people disputed them. The
 * reports of a person are one group.
 */
export const getAgreement: OperationRecord<'getAgreement', 'store' | 'pause'> = {
  personalData: 'reads',
  async handle({ store, pause }, { whose }, { accountId }) {
    const reports = await listReports(store.read(accountId, pause), whose, undefined, settings.reports_max);
    const disputes = await countByKind(store.read(accountId, pause), facts.disputes.source);
    const shown = disputes.filter(({ people }) => people >= facts.disputes.counted_people_min);
    const body = { ...compareReports(reports, findPerson), ...(shown.length > 0 && { disputes: shown }) };
    return { status: 200, body };
  },
};

/**
 * Compares reports that count and have a score of the current model. Scores of other versions are not comparable.
 */
export function compareReports(reports: readonly StoredReport[], group: (report: StoredReport) => string) {
  const model = modelVersion.number;
  const counted = pickCounted(reports.filter(({ published }) => published?.model === model));
  const scored = counted.map((report) => {
    const score = report.published?.score ?? NaN;
    return { person: findPerson(report), group: group(report), score, stress: report.stress };
  });
  const person_reports_max = Math.max(0, ...count(reports.map(findPerson)).values());
  return { model_version: model, reports: reports.length, person_reports_max, ...assessAgreement(scored) };
}

/** Returns the reports that count, by their time of arrival, which a sender cannot choose. The newest ones count. */
function pickCounted(reports: readonly StoredReport[]): StoredReport[] {
  const limits = [
    [60_000, settings.person_minute_reports_max],
    [86_400_000, settings.person_day_reports_max],
  ] as const;
  const newestFirst = [...reports].sort((a, b) => b.recordedAtMs - a.recordedAtMs);
  return limits.reduce((left, [ms, max]) => {
    const counts = new Map<string, number>();
    return left.filter((report) => {
      const period = `${Math.floor(report.recordedAtMs / ms)} ${findPerson(report)}`;
      counts.set(period, (counts.get(period) ?? 0) + 1);
      return (counts.get(period) ?? 0) <= max;
    });
  }, newestFirst);
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** A session without a person is a person of its own. */
function findPerson({ subjectId, sessionId }: StoredReport): string {
  return JSON.stringify([subjectId, !subjectId && sessionId]);
}
