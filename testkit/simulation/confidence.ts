import { auc, shareOf } from '../../packages/tools/evaluate/figures/statistics.js';
import type { StateReading } from '../../src/contract/contract.js';
import { type Column, figureColumns, percent, type TableRow } from '../../packages/tools/terminal/table.js';

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

export const confidenceColumns: readonly Column[] = [
  { title: 'states' },
  ...figureColumns('right', 'AUC of the confidence'),
];

/** Returns the AUC of the confidence, right states against wrong ones. */
export function computeConfidenceArea(verdicts: readonly Verdict[]): number {
  return auc(verdicts.map(({ confidence, isRight }) => ({ score: confidence, isStressor: isRight })));
}

/** Returns the number of states, the share of right ones, and the AUC of the confidence, right states against wrong ones. */
export function confidenceRow(name: string, verdicts: readonly Verdict[]): TableRow {
  const right = shareOf(verdicts, ({ isRight }) => isRight);
  return [name, `${percent(right, 0)} of ${verdicts.length}`, computeConfidenceArea(verdicts).toFixed(3)];
}
