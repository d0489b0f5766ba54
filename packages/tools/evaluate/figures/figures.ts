import { bands } from '../../../../generated/spec.js';
import { groupBy } from '../../group-by.js';
import type { Row } from '../protocol/rows.js';
import { auc, countWhere, type Estimate, estimate, quotient, type Scored } from './statistics.js';

/** A score from 0 to 100, and whether the method calls the person stressed. */
export interface Score {
  readonly score: number;
  readonly isStressed: boolean;
}

export interface Figures {
  /** Rows that are compared, and their groups. */
  readonly rows: number;
  readonly groups: number;
  readonly auc: Estimate;
  /** Share of the rows under stress that are called stressed, and of those at rest. */
  readonly stress_called_stressed: Estimate;
  readonly rest_called_stressed: Estimate;
  /** Mean of the shares of both sides that are called rightly. */
  readonly balanced_accuracy: Estimate;
}

const stressedMin = bands.find(({ state }) => state === 'stressed')?.min_score ?? 0;

/** Returns the score of a method that states no state: from the band `stressed` on, the person is stressed. */
export function toScore(score: number): Score {
  return { score, isStressed: score >= stressedMin };
}

/** Compares the rows of both sides. Each group of `rows` is resampled, also one without a row that is compared. */
export function measure(rows: readonly Row[], scores: ReadonlyMap<string, Score>): Figures {
  const groups = [...groupBy(rows, ({ group }) => group).values()].map((its) =>
    its.filter(({ side }) => side !== undefined),
  );
  const counted = groups.map((its) => ({
    units: [...groupBy(its, ({ unit }) => unit).values()].map((unit) => toUnit(unit, scores)),
    stress: countCalled(its, 'stressor', scores),
    rest: countCalled(its, 'rest', scores),
  }));
  type Sample = readonly (typeof counted)[number][];
  const stress = (sample: Sample) => quotient(sample.map((it) => it.stress));
  const rest = (sample: Sample) => quotient(sample.map((it) => it.rest));
  return {
    rows: groups.flat().length,
    groups: groups.length,
    auc: estimate(counted, (sample) => auc(sample.flatMap(({ units }) => units))),
    stress_called_stressed: estimate(counted, stress),
    rest_called_stressed: estimate(counted, rest),
    balanced_accuracy: estimate(counted, (sample) => (1 + stress(sample) - rest(sample)) / 2),
  };
}

/** Returns the mean score of a unit, on the side of most of its rows. */
function toUnit(rows: readonly Row[], scores: ReadonlyMap<string, Score>): Scored {
  const sum = rows.reduce((total, { id }) => total + (scores.get(id)?.score ?? Number.NaN), 0);
  const stressors = rows.filter(({ side }) => side === 'stressor').length;
  return { score: sum / rows.length, isStressor: 2 * stressors > rows.length };
}

function countCalled(rows: readonly Row[], side: Row['side'], scores: ReadonlyMap<string, Score>) {
  return countWhere(
    rows.filter((it) => it.side === side),
    ({ id }) => scores.get(id)?.isStressed === true,
  );
}
