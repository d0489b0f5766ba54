import { auc } from '../../packages/tools/evaluate/statistics.js';
import type { StateReading } from '../../src/contract/contract.js';
import type { Column, TableRow } from '../../packages/tools/terminal/table.js';
import { type Judged, lastMinutes, type StressReport } from './days.js';

/** The confidence of a published state, and whether the state is right. */
export interface Verdict {
  readonly confidence: number;
  readonly isRight: boolean;
}

/** Compares a state with its label: `focused` or above is right for a stressor, `calm` and `relaxed` for rest. */
export function judgeState(
  { state, confidence }: Pick<StateReading, 'state' | 'confidence'>,
  isStressor: boolean,
): Verdict {
  return { confidence, isRight: (state === 'calm' || state === 'relaxed') !== isStressor };
}

/** Judges the last ten minutes of each rise: as a stressor in the replay with the rise, as rest in the one without it. */
export function judgeRises(plain: readonly Judged[], raised: readonly Judged[], starts: readonly number[]): Verdict[] {
  return [
    ...lastMinutes(plain, starts).map((it) => judgeState(it, false)),
    ...lastMinutes(raised, starts).map((it) => judgeState(it, true)),
  ];
}

/** Judges the minutes that a person reported as high stress or none. */
export function judgeReports(judged: readonly Judged[], reports: readonly StressReport[]): Verdict[] {
  return reports
    .filter(({ stress }) => stress !== 'medium')
    .flatMap(({ fromMs, toMs, stress }) =>
      judged.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map((it) => judgeState(it, stress === 'high')),
    );
}

/** Lower edges of the confidence bands of the table. */
const bandEdges = [0, 0.15, 0.2, 0.25, 0.3, 0.4];

export const confidenceColumns: readonly Column[] = [
  { title: 'confidence: share of states that are right (number)' },
  ...['all', 'AUC', ...bandEdges.map(titleOf)].map((title) => ({ title, align: 'right' }) as const),
];

/**
 * Returns the share of right states, the AUC of the confidence, right states against wrong ones, and the share of right
 * states per confidence band.
 */
export function confidenceRow(name: string, verdicts: readonly Verdict[]): TableRow {
  const area = auc(verdicts.map(({ confidence, isRight }) => ({ score: confidence, isStressor: isRight })));
  const bands = bandEdges.map((_, band) => shareRight(verdicts.filter(({ confidence }) => isIn(band, confidence))));
  return [name, shareRight(verdicts), area.toFixed(3), ...bands];
}

function isIn(band: number, confidence: number): boolean {
  return confidence >= (bandEdges[band] ?? 0) && confidence < (bandEdges[band + 1] ?? Infinity);
}

function shareRight(verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return '·';
  const right = verdicts.filter(({ isRight }) => isRight).length;
  return `${((100 * right) / verdicts.length).toFixed(0)} % (${verdicts.length})`;
}

function titleOf(from: number, index: number): string {
  const to = bandEdges[index + 1];
  return to === undefined ? `from ${from}` : `${from} to ${to}`;
}
