import { stressModel as model } from '../../generated/spec.js';
import { round3 } from './rounding.js';

/** Seconds per bin. The key is the lower edge of the bin, bpm. */
export type Histogram = Readonly<Record<string, number>>;

/** Returns the histogram with `seconds` added at a heart rate. */
export function addTo(secondsByBpm: Histogram, bpm: number, seconds: number): Histogram {
  const { bin_bpm } = model.baseline;
  const bin = Math.floor(bpm / bin_bpm) * bin_bpm;
  return { ...secondsByBpm, [bin]: round3((secondsByBpm[bin] ?? 0) + seconds) };
}

/** Returns the total time, s. */
export function addSeconds(secondsByBpm: Histogram): number {
  let total = 0;
  for (const bin in secondsByBpm) total += secondsByBpm[bin] ?? 0;
  return total;
}

/** Returns the histogram with `share` of the time in each bin. */
export function scaleBins(secondsByBpm: Histogram, share: number): Histogram {
  const scaled: Record<string, number> = {};
  for (const bin in secondsByBpm) scaled[bin] = round3((secondsByBpm[bin] ?? 0) * share);
  return scaled;
}

/**
 * Returns the heart rates below which the person spent these shares of `seconds`, bpm, interpolated within their bins. The
 * shares ascend, so that one pass over the bins finds all of them.
 */
export function findQuantiles(secondsByBpm: Histogram, seconds: number, shares: readonly number[]): number[] {
  const { bin_bpm } = model.baseline;
  const left = shares.map((share) => seconds * share);
  let [found, highest] = [0, 0];
  // JavaScript enumerates integer keys in ascending order.
  for (const bin in secondsByBpm) {
    const inBin = secondsByBpm[bin] ?? 0;
    highest = Number(bin);
    for (let index = found; index < left.length; index += 1) {
      const remaining = left[index] ?? 0;
      if (remaining <= inBin) left[found++] = highest + (bin_bpm * remaining) / inBin;
      else left[index] = remaining - inBin;
    }
    if (found === left.length) return left;
  }
  return left.fill(highest + bin_bpm, found);
}
