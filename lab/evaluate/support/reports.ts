/** Compares published scores with what people reported about periods of their day. */
import type { Column, TableRow } from '../../../packages/tools/terminal/table.js';
import type { Schema } from '../../../src/contract/contract.js';
import { assessAgreement, type ScoredReport } from '../../../src/operations/agreement.js';
import { type Judged, meanOf, type StressReport, type Wearer } from '../../../testkit/simulation/days.js';
import { figureColumns } from '../../figures.js';

/** A report with the minutes that it is about. */
interface MatchedReport extends Pick<StressReport, 'person' | 'stress'> {
  readonly during: readonly Judged[];
}

/** Returns the reports about minutes that were replayed. */
export function matchReports(
  people: readonly Wearer[],
  replays: readonly Judged[][],
  reports: readonly StressReport[],
): MatchedReport[] {
  return reports.flatMap(({ person, fromMs, toMs, stress }) => {
    const its = replays[people.findIndex((it) => it.person === person)] ?? [];
    const during = its.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    return during.length === 0 ? [] : [{ person, stress, during }];
  });
}

export const agreementColumns: readonly Column[] = [
  { title: 'agreement, as GET /v1/agreement computes it' },
  ...figureColumns('reports', 'stressed', 'nurses', 'AUC', '95 % interval', 'status'),
];

/** Numbers from 0 to 10 for the answers of the nurses. Medium counts as stressed or is left out. */
const answers = { none: 0, medium: 5, high: 10 };
const comparisons: Readonly<Record<string, readonly string[]>> = {
  'high against none': ['none', 'high'],
  'high and medium against none': ['none', 'medium', 'high'],
};

/** Returns the agreement of the published scores with the reports. Reports of one nurse are a group. */
export function agreementRows(reports: readonly MatchedReport[]): TableRow[] {
  return Object.entries(comparisons).map(([name, kept]) => {
    const assessed = assessAgreement(scoreReports(reports, kept));
    const { scored_reports, stressed_reports, groups, status, auc: area } = assessed;
    const counts = [scored_reports, stressed_reports, groups].map(String);
    return [name, ...counts, area ? area.value.toFixed(3) : '–', formatInterval(area), status];
  });
}

export const calibrationColumns: readonly Column[] = [
  { title: 'band of the score: high against none' },
  ...figureColumns('reports', 'mean score', 'stressed', '95 % interval'),
];

/** Returns a row per band of the score. */
export function calibrationRows(reports: readonly MatchedReport[]): TableRow[] {
  const { calibration } = assessAgreement(scoreReports(reports, ['none', 'high']));
  return calibration.map(({ state, reports: count, mean_score, stressed_share: share }) => [
    state,
    String(count),
    mean_score?.toFixed(1) ?? '–',
    share ? share.value.toFixed(2) : '–',
    formatInterval(share),
  ]);
}

/** Returns the reports as the service stores them: a report about an interval has the rounded mean of its scores. */
function scoreReports(reports: readonly MatchedReport[], kept: readonly string[]): ScoredReport[] {
  return reports
    .filter(({ stress }) => kept.includes(stress))
    .map(({ person, stress, during }) => ({
      person,
      group: person,
      score: Math.round(meanOf(during.map((it) => it.stress_score))),
      stress: answers[stress as keyof typeof answers],
    }));
}

function formatInterval(estimate: Schema<'Estimate'> | undefined): string {
  return estimate ? `${estimate.low.toFixed(2)}–${estimate.high.toFixed(2)}` : '–';
}
