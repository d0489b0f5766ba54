/**
 * Artifact detection of Lipponen and Tarvainen (2019), "A robust algorithm for heart rate variability time series artefact
 * correction using novel beat classification". Only detects: the service leaves artifacts out instead of replacing them.
 */

import { quantile } from '../../../packages/tools/terminal/quantile.js';

const window = { threshold: 45, median: 5 };
const thresholdFactor = 5.2;
const ectopic = { slope: 0.13, offset: 0.17 };
const longShortMin = 3;

/** Returns true for each interval (ms) that is an artifact. */
export function findArtifacts(intervals: readonly number[]): boolean[] {
  const differences = intervals.map((it, index) => (index === 0 ? 0 : it - (intervals[index - 1] ?? it)));
  const medians = intervals.map((_, index) => quantile(around(intervals, index, window.median), 0.5));
  const deviations = intervals.map((it, index) => asymmetric(it - (medians[index] ?? it)));
  const d = scaled(differences);
  const m = scaled(deviations);
  const found = intervals.map(() => false);
  intervals.forEach((_, index) => {
    const here = d[index] ?? 0;
    const isEctopic = Math.abs(here) > 1 && isPremature(here, d[index - 1] ?? 0, d[index + 1] ?? 0);
    const isLongOrShort = isSwing(here, d[index + 1] ?? 0, d[index + 2] ?? 0) || Math.abs(m[index] ?? 0) > longShortMin;
    if (isEctopic || isLongOrShort) found[index] = true;
    // The beat between two intervals is early or late, so both are abnormal.
    if (isEctopic && index > 0) found[index - 1] = true;
  });
  return found;
}

/** Subspace 1 of the article: an early beat, with opposite differences before and after it. */
function isPremature(here: number, before: number, after: number): boolean {
  const other = here > 0 ? Math.max(before, after) : Math.min(before, after);
  return here > 0 ? other < -ectopic.slope * here - ectopic.offset : other > -ectopic.slope * here + ectopic.offset;
}

/** Subspace 2 of the article: a long or short beat. */
function isSwing(here: number, next: number, afterNext: number): boolean {
  if (Math.abs(here) <= 1) return false;
  return here > 0 ? Math.min(next, afterNext) < -1 : Math.max(next, afterNext) > 1;
}

/** Divides each value by its local threshold: 5.2 times the quartile deviation of 91 values around it. */
function scaled(values: readonly number[]): number[] {
  return values.map((value, index) => {
    const sizes = around(values, index, window.threshold).map(Math.abs);
    const deviation = (quantile(sizes, 0.75) - quantile(sizes, 0.25)) / 2;
    return deviation === 0 ? 0 : value / (thresholdFactor * deviation);
  });
}

function asymmetric(deviation: number): number {
  return deviation < 0 ? 2 * deviation : deviation;
}

function around(values: readonly number[], index: number, neighbors: number): number[] {
  return values.slice(Math.max(0, index - neighbors), index + neighbors + 1);
}
