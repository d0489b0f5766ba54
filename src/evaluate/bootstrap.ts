import { quantile } from '../terminal/quantile.js';
import { seededRandom } from '../terminal/scenes.js';

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
