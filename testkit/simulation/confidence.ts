import { auc } from '../../packages/tools/evaluate/figures/statistics.js';
import type { StateReading } from '../../src/contract/contract.js';
import type { Column, TableRow } from '../../packages/tools/terminal/table.js';

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
  { title: 'right', align: 'right' },
  { title: 'AUC of the confidence', align: 'right' },
];

/** Returns the number of states, the share of right ones, and the AUC of the confidence, right states against wrong ones. */
export function confidenceRow(name: string, verdicts: readonly Verdict[]): TableRow {
  const area = auc(verdicts.map(({ confidence, isRight }) => ({ score: confidence, isStressor: isRight })));
  const right = verdicts.filter(({ isRight }) => isRight).length;
  return [name, `${((100 * right) / verdicts.length).toFixed(0)} % of ${verdicts.length}`, area.toFixed(3)];
}
