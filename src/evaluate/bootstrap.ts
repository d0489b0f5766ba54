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
  const figures = Array.from({ length: resamples }, () => statistic(people.map(drawPerson)))
    .filter((figure) => !Number.isNaN(figure))
    .sort((a, b) => a - b);
  return [quantile(figures, 0.025), quantile(figures, 0.975)];
}

/** Returns a quantile of ascending numbers, with linear interpolation. NaN if there are no numbers. */
export function quantile(ascending: readonly number[], share: number): number {
  const place = share * (ascending.length - 1);
  const low = ascending[Math.floor(place)] ?? Number.NaN;
  const high = ascending[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}
