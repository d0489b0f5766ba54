import { signals } from '../../../generated/spec.js';
import type { Submission } from './schemas.js';

const { minimum, maximum, items_max: lengthMax } = signals.rr_intervals_ms;

/**
 * Returns the newest possible beat intervals as a part of a submission: `{ ...cleanIntervals(intervals) }`. One impossible
 * interval, e.g. of a strap that lost contact, and an empty list are a 422. Without a possible interval, the part is empty.
 */
export function cleanIntervals(intervalsMs: readonly number[]): Pick<Submission, 'rr_intervals_ms'> {
  const possible = intervalsMs
    .filter((it) => it >= minimum && it <= maximum)
    .slice(-lengthMax)
    .map(Math.round);
  return possible.length > 0 ? { rr_intervals_ms: possible } : {};
}
