import { stressModel as model } from '../../generated/spec.js';
import type { TypicalHeartRate } from './baseline.js';
import { acquaintance, remembered } from './running-mean.js';

/**
 * Time per heart rate of a person. The resting heart rate is a low quantile of it. The newest rate is stored
 * separately, so that readings of one time may arrive in any order.
 */
export interface RestingHeartRate {
  /** Instants of the first and the newest reading, epoch ms. */
  readonly firstAtMs: number;
  readonly atMs: number;
  /** The newest smoothed rate and its duration in seconds. Not included in the bins yet. */
  readonly bpm: number;
  readonly seconds: number;
  /** Mean of the readings that are not in the bins yet, because they stand for less than one bin entry; and its seconds. */
  readonly blockBpm: number;
  readonly blockSeconds: number;
  /** Seconds seen so far, after forgetting. */
  readonly seenSeconds: number;
  /** Weighted seconds by the lower edge of a bin, bpm. */
  readonly secondsByBpm: Readonly<Record<string, number>>;
}

type Learned = Pick<RestingHeartRate, 'blockBpm' | 'blockSeconds' | 'seenSeconds' | 'secondsByBpm'>;

const nothing: Learned = { blockBpm: 0, blockSeconds: 0, seenSeconds: 0, secondsByBpm: {} };

/** Adds a smoothed rate. A second one with the same time replaces the first. */
export function learnResting(resting: RestingHeartRate | undefined, atMs: number, bpm: number): RestingHeartRate {
  const secondsMax = model.baseline.reading_seconds_max;
  if (!resting) return { firstAtMs: atMs, atMs, bpm, seconds: secondsMax, ...nothing };
  if (atMs < resting.atMs) return resting;
  if (atMs === resting.atMs) return { ...resting, bpm };
  const seconds = Math.min(secondsMax, (atMs - resting.atMs) / 1000);
  return { ...settle(resting, atMs), firstAtMs: resting.firstAtMs, atMs, bpm, seconds };
}

/** The resting heart rate from strictly earlier readings, shrunk to the population. */
export function restingOf(resting: RestingHeartRate | undefined, atMs: number): TypicalHeartRate {
  const population = model.heart_rate.population_resting_bpm;
  if (!resting) return { value: population, known: 0, isPersonal: false };
  const { seenSeconds, secondsByBpm } = settle(resting, atMs);
  if (seenSeconds === 0) return { value: population, known: 0, isPersonal: false };
  const own = quantileOf(secondsByBpm);
  const { weight_seconds, personal_after_seconds } = model.baseline;
  const known = (acquaintance(resting.firstAtMs, atMs) * seenSeconds) / (seenSeconds + weight_seconds);
  return { value: population + known * (own - population), known, isPersonal: seenSeconds >= personal_after_seconds };
}

/** Returns the bins including the newest rate if `atMs` is later than it, otherwise without it. */
function settle(resting: RestingHeartRate, atMs: number): Learned {
  const { bpm, seconds, seenSeconds, secondsByBpm } = resting;
  if (atMs <= resting.atMs) return resting;
  const blockSeconds = resting.blockSeconds + seconds;
  const blockBpm = resting.blockBpm + ((bpm - resting.blockBpm) * seconds) / blockSeconds;
  const learned = { blockBpm, blockSeconds, seenSeconds, secondsByBpm };
  if (blockSeconds < model.baseline.reading_seconds_max) return learned;
  return forget(addBlock(learned), atMs - resting.atMs);
}

function addBlock({ blockBpm, blockSeconds, seenSeconds, secondsByBpm }: Learned): Learned {
  const { bin_bpm } = model.baseline;
  const bin = Math.floor(blockBpm / bin_bpm) * bin_bpm;
  const weighted = (secondsByBpm[bin] ?? 0) + blockSeconds;
  return { ...nothing, seenSeconds: seenSeconds + blockSeconds, secondsByBpm: { ...secondsByBpm, [bin]: weighted } };
}

function forget(learned: Learned, gapMs: number): Learned {
  const { reading_seconds_max, capacity_seconds } = model.baseline;
  if (gapMs > reading_seconds_max * 1000) return scale(learned, remembered(learned.seenSeconds, gapMs));
  return learned.seenSeconds > capacity_seconds ? scale(learned, 1 / 2) : learned;
}

function scale({ seenSeconds, secondsByBpm, ...block }: Learned, share: number): Learned {
  const scaled = Object.entries(secondsByBpm).map(([bin, seconds]) => [bin, seconds * share]);
  return { ...block, seenSeconds: seenSeconds * share, secondsByBpm: Object.fromEntries(scaled) };
}

/** Returns the quantile `resting_quantile` in bpm, interpolated within its bin. */
function quantileOf(secondsByBpm: Learned['secondsByBpm']): number {
  // JavaScript enumerates integer keys in ascending order.
  const bins = Object.entries(secondsByBpm);
  const total = bins.reduce((sum, [, seconds]) => sum + seconds, 0);
  let left = total * model.baseline.resting_quantile;
  for (const [bin, seconds] of bins) {
    if (left <= seconds) return Number(bin) + (model.baseline.bin_bpm * left) / seconds;
    left -= seconds;
  }
  return Number(bins.at(-1)?.[0]) + model.baseline.bin_bpm;
}
