import { bands } from '../../generated/spec.js';
import type { Column, TableRow } from '../terminal/table.js';
import type { RecordedWindow } from '../recordings/recorded-window.js';
import { auc, type Scored } from './auc.js';
import { intervalOverPeople } from './bootstrap.js';
import type { AnsweredScore } from './variants.js';

/** Returns the side of a window in the comparison. Undefined for a window that is sent but not compared. */
export type SideOf = (window: RecordedWindow) => 'stressor' | 'rest' | undefined;

export const aucColumns: readonly Column[] = [
  { title: 'variant' },
  { title: 'AUC', align: 'right' },
  { title: '95 % interval', align: 'right' },
  { title: 'stressor windows stressed', align: 'right' },
  { title: 'rest windows stressed', align: 'right' },
  { title: 'description' },
];

/** Returns the figures of one variant. The interval is a dash for one person, because it resamples people. */
export function aucRow(
  name: string,
  note: string,
  people: readonly (readonly AnsweredScore[])[],
  sideOf: SideOf,
): TableRow {
  const compared = people.map((answers) => toScored(answers, sideOf));
  const statistic = (sample: readonly (readonly Scored[])[]) => auc(sample.flat());
  return [name, numberOf(statistic(compared)), intervalOf(compared, statistic), ...shares(compared.flat()), note];
}

function intervalOf(
  people: readonly (readonly Scored[])[],
  statistic: (sample: readonly (readonly Scored[])[]) => number,
): string {
  if (people.length < 2) return '–';
  const [low, high] = intervalOverPeople(people, statistic);
  return Number.isNaN(low) ? '–' : `${numberOf(low)}–${numberOf(high)}`;
}

function numberOf(figure: number): string {
  return Number.isNaN(figure) ? '–' : figure.toFixed(3);
}

/** Returns the shares of stressor windows and of rest windows whose state is stressed or acute_stress. */
function shares(windows: readonly Scored[]): [string, string] {
  if (windows.some(({ score }) => !Number.isInteger(score))) return ['', ''];
  const stressed = bands.find(({ state }) => state === 'stressed');
  const share = (group: readonly Scored[]) => {
    if (group.length === 0) return '–';
    const count = group.filter(({ score }) => score >= (stressed?.min_score ?? 0)).length;
    return `${((100 * count) / group.length).toFixed(0)} %`;
  };
  return [share(windows.filter((it) => it.isStressor)), share(windows.filter((it) => !it.isStressor))];
}

function toScored(answers: readonly AnsweredScore[], sideOf: SideOf): Scored[] {
  return answers.flatMap(({ window, score }) => {
    const side = sideOf(window);
    return side === undefined ? [] : [{ score, isStressor: side === 'stressor' }];
  });
}
