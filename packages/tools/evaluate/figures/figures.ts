import { bands } from '../../../../generated/spec.js';
import { auc, intervalOverPeople } from './statistics.js';
import type { Row } from '../protocol/tasks.js';

/** A score from 0 to 100, and whether the method calls the person stressed. */
export interface Score {
  readonly score: number;
  readonly isStressed: boolean;
}

/** An estimate with its interval of 95 %. The interval is null for one group, because it resamples groups. */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
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

type Counts = readonly [called: number, all: number];

/** Compares the rows of both sides. Each side must have rows. */
export function measure(rows: readonly Row[], scores: ReadonlyMap<string, Score>): Figures {
  const compared = rows.filter(({ side }) => side !== undefined);
  const groups = [...groupBy(compared, ({ group }) => group).values()];
  const scored = groups.map((its) => ({
    units: [...groupBy(its, ({ unit }) => unit).values()].map((unit) => toUnit(unit, scores)),
    stress: count(its, 'stressor', scores),
    rest: count(its, 'rest', scores),
  }));
  type Sample = readonly (typeof scored)[number][];
  const estimate = (statistic: (sample: Sample) => number): Estimate => {
    const [low, high] = groups.length < 2 ? [null, null] : intervalOverPeople(scored, statistic).map(round);
    return { value: round(statistic(scored)), low: low ?? null, high: high ?? null };
  };
  const stress = (sample: Sample) => share(sample.map((it) => it.stress));
  const rest = (sample: Sample) => share(sample.map((it) => it.rest));
  return {
    rows: compared.length,
    groups: groups.length,
    auc: estimate((sample) => auc(sample.flatMap(({ units }) => units))),
    stress_called_stressed: estimate(stress),
    rest_called_stressed: estimate(rest),
    balanced_accuracy: estimate((sample) => (1 + stress(sample) - rest(sample)) / 2),
  };
}

/** Returns the mean score of a unit, on the side of most of its rows. */
function toUnit(rows: readonly Row[], scores: ReadonlyMap<string, Score>): { score: number; isStressor: boolean } {
  const sum = rows.reduce((total, { id }) => total + (scores.get(id)?.score ?? Number.NaN), 0);
  const stressors = rows.filter(({ side }) => side === 'stressor').length;
  return { score: sum / rows.length, isStressor: 2 * stressors > rows.length };
}

function count(rows: readonly Row[], side: Row['side'], scores: ReadonlyMap<string, Score>): Counts {
  const own = rows.filter((it) => it.side === side);
  return [own.filter(({ id }) => scores.get(id)?.isStressed).length, own.length];
}

function share(counts: readonly Counts[]): number {
  return counts.reduce((sum, [called]) => sum + called, 0) / counts.reduce((sum, [, all]) => sum + all, 0);
}

function round(value: number): number {
  return Math.round(1000 * value) / 1000;
}

export function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
