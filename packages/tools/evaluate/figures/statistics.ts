import { quantile } from '../../terminal/quantile.js';
import { seededRandom } from '../../terminal/scenes.js';

/** A window and the score that a method gave it. */
export interface Scored {
  readonly score: number;
  readonly isStressor: boolean;
}

/**
 * Returns the area under the ROC curve: the share of pairs in which the stressor window has the higher score. Ties
 * count half. NaN if one of the labels is missing.
 */
export function auc(scored: readonly Scored[]): number {
  const ascending = [...scored].sort((a, b) => a.score - b.score);
  let wins = 0;
  let restsBelow = 0;
  for (let from = 0; from < ascending.length;) {
    const tied = ascending.slice(from, endOfTie(ascending, from));
    const stressors = tied.filter(({ isStressor }) => isStressor).length;
    const rests = tied.length - stressors;
    wins += stressors * (restsBelow + rests / 2);
    restsBelow += rests;
    from += tied.length;
  }
  return wins / (restsBelow * (scored.length - restsBelow));
}

function endOfTie(ascending: readonly Scored[], from: number): number {
  let end = from + 1;
  while (ascending[end]?.score === ascending[from]?.score && end < ascending.length) end += 1;
  return end;
}

/** An estimate with its interval of 95 %. The interval is null for one group, because it resamples groups. */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export const resamples = 2_000;
const seed = 7;

/**
 * Returns a statistic with its percentile interval over resamples of groups, e.g. of people, because the windows of one person
 * are not independent. The same seed gives the same interval.
 */
export function estimate<Group>(groups: readonly Group[], statistic: (groups: readonly Group[]) => number): Estimate {
  const value = statistic(groups);
  if (groups.length < 2) return { value, low: null, high: null };
  const random = seededRandom(seed);
  const drawGroup = () => groups[Math.floor(random() * groups.length)] as Group;
  const figures = Array.from({ length: resamples }, () => statistic(groups.map(drawGroup))).filter(
    (figure) => !Number.isNaN(figure),
  );
  return { value, low: quantile(figures, 0.025), high: quantile(figures, 0.975) };
}

/** The number of items with a property, and of all items. */
export type Counts = readonly [part: number, whole: number];

/** Returns the share over all groups. NaN if they have no items. */
export function quotient(counts: readonly Counts[]): number {
  return counts.reduce((sum, [part]) => sum + part, 0) / counts.reduce((sum, [, whole]) => sum + whole, 0);
}

export function countWhere<T>(items: readonly T[], has: (item: T) => boolean): Counts {
  return [items.filter(has).length, items.length];
}

/** Returns the share of the items with a property. NaN without items. */
export function shareOf<T>(items: readonly T[], has: (item: T) => boolean): number {
  return quotient([countWhere(items, has)]);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns an estimate as text, e.g. `0.902 (0.853–0.944)`. */
export function printEstimate({ value, low, high }: Estimate, print: (value: number) => string): string {
  return low === null || high === null ? print(value) : `${print(value)} (${printInterval(low, high, print)})`;
}

export function printInterval(low: number, high: number, print: (value: number) => string): string {
  return `${print(low)}–${print(high)}`;
}
