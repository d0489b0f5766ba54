import { feedback as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { round3 } from './rounding.js';

const z2 = settings.interval_z ** 2;

/**
 * Returns the design effect, at least 1. Multiplies the ratio of variances by (t/z)², because few groups do not show well
 * how much they differ (Korn and Graubard 1998). t is the 97.5 % quantile of Student's distribution by the expansion of
 * Abramowitz and Stegun (26.7.5), which is exact to 0.1 % from five groups on.
 */
export function adjustEffect(ratio: number, groups: number): number {
  const z = settings.interval_z;
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  const t = z + terms.reduce((sum, term, index) => sum + term / (groups - 1) ** (index + 1), 0);
  return Math.max(1, ratio * (t / z) ** 2);
}

/** Returns the estimate with its score interval: all true values whose distance is at most z standard errors. */
export function toEstimate(value: number, variance: (bound: number) => number): Schema<'Estimate'> {
  const isOutside = (bound: number) => (value - bound) ** 2 > z2 * variance(bound);
  const solve = (outside: number) => {
    let [out, within] = [outside, value];
    // Halves the distance until the bound is exact to far more than three decimals.
    for (let step = 0; step < 40; step += 1) {
      const middle = (out + within) / 2;
      if (isOutside(middle)) out = middle;
      else within = middle;
    }
    return round3(within);
  };
  return { value: round3(value), low: solve(0), high: solve(1) };
}
