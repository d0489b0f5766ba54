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

export const resamples = 2_000;
const seed = 7;

/**
 * Returns the 95 % percentile interval of a statistic over resamples of people, because the windows of one person are
 * not independent. The same seed gives the same interval.
 */
export function intervalOverPeople<Person>(
  people: readonly Person[],
  statistic: (people: readonly Person[]) => number,
): readonly [low: number, high: number] {
  const random = seededRandom(seed);
  const drawPerson = () => people[Math.floor(random() * people.length)] as Person;
  const figures = Array.from({ length: resamples }, () => statistic(people.map(drawPerson))).filter(
    (figure) => !Number.isNaN(figure),
  );
  return [quantile(figures, 0.025), quantile(figures, 0.975)];
}
