import { stressModel as model } from '../../generated/spec.js';
import type { TypicalHeartRate } from './baseline.js';
import { round3 } from './rounding.js';
import { acquaintance, firstOf, firstSeen, remembered } from './running-mean.js';

/**
 * Histogram of the time that a person spent at each heart rate. The resting heart rate is a low quantile of it. The
 * newest rate is stored separately, so that readings with the same timestamp may arrive in any order.
 */
export interface RestingHeartRate {
  /** Timestamp of the first reading, epoch ms. Absent when `acquaintance` no longer depends on it. */
  readonly firstAtMs?: number | undefined;
  /** Timestamp of the newest reading, epoch ms. */
  readonly atMs: number;
  /** The newest smoothed heart rate and its duration in seconds. The bins do not include it yet. */
  readonly bpm: number;
  readonly seconds: number;
  /** True if the newest rate is not learned, because movement explains it. */
  readonly isSkipped?: boolean | undefined;
  /** Mean of the readings whose duration is still too short for a bin entry. Absent if there are none. */
  readonly blockBpm?: number | undefined;
  /** Total duration of the readings in `blockBpm`, s. */
  readonly blockSeconds?: number | undefined;
  /** Total seconds in the bins, after decay. */
  readonly seenSeconds?: number | undefined;
  /** Seconds per bin, after decay. The key is the lower edge of the bin, bpm. Absent if all bins are empty. */
  readonly secondsByBpm?: Readonly<Record<string, number>> | undefined;
}

type Learned = Pick<RestingHeartRate, 'blockBpm' | 'blockSeconds' | 'seenSeconds' | 'secondsByBpm'>;

/** A smoothed heart rate at one time. */
interface SmoothedRate {
  readonly atMs: number;
  readonly bpm: number;
  readonly isSkipped: boolean;
}

/** Adds a smoothed heart rate. A second rate with the same timestamp replaces the first. */
export function learnResting(resting: RestingHeartRate | undefined, rate: SmoothedRate): RestingHeartRate {
  const { atMs } = rate;
  const [bpm, isSkipped] = [round3(rate.bpm), rate.isSkipped || undefined];
  const secondsMax = model.baseline.reading_seconds_max;
  if (!resting) return { firstAtMs: atMs, atMs, bpm, seconds: secondsMax, isSkipped };
  if (atMs < resting.atMs) return resting;
  if (atMs === resting.atMs) return { ...resting, bpm, isSkipped };
  const seconds = Math.min(secondsMax, (atMs - resting.atMs) / 1000);
  const { blockBpm, blockSeconds, seenSeconds, secondsByBpm } = settle(resting, atMs);
  const firstAtMs = firstSeen(resting.firstAtMs, atMs);
  return { firstAtMs, atMs, bpm, seconds, isSkipped, blockBpm, blockSeconds, seenSeconds, secondsByBpm };
}

/**
 * Adds a smoothed heart rate that is older than the newest one and represents `seconds`. The order of past rates does
 * not matter, because the bins contain only durations.
 */
export function addPastRate(resting: RestingHeartRate, rate: SmoothedRate, seconds: number): RestingHeartRate {
  if (rate.isSkipped || seconds <= 0) return resting;
  const added = forget(withNewest({ ...resting, bpm: round3(rate.bpm), seconds }), 0);
  const { blockBpm, blockSeconds, seenSeconds, secondsByBpm } = added;
  const firstAtMs = firstOf(resting, rate.atMs);
  return { ...resting, firstAtMs, blockBpm, blockSeconds, seenSeconds, secondsByBpm };
}

/**
 * Returns the resting heart rate from strictly earlier readings. With few readings, it is close to the population's
 * value.
 */
export function restingOf(resting: RestingHeartRate | undefined, atMs: number): TypicalHeartRate {
  const population = model.heart_rate.population_resting_bpm;
  if (!resting) return { value: population, known: 0, isPersonal: false };
  const { seenSeconds = 0, secondsByBpm } = settle(resting, atMs);
  if (!secondsByBpm) return { value: population, known: 0, isPersonal: false };
  const own = quantileOf(secondsByBpm, seenSeconds);
  const { weight_seconds, personal_after_seconds } = model.baseline;
  const known = (acquaintance(resting.firstAtMs, atMs) * seenSeconds) / (seenSeconds + weight_seconds);
  return { value: population + known * (own - population), known, isPersonal: seenSeconds >= personal_after_seconds };
}

/** Time spent at each heart rate. */
export interface LearnedRates {
  /** Total of `secondsByBpm`, s. */
  readonly seconds: number;
  /** Seconds per bin, after decay. The key is the lower edge of the bin, bpm. */
  readonly secondsByBpm: Readonly<Record<string, number>>;
}

/** Returns the time at each heart rate from strictly earlier readings, including readings too short for a bin entry. */
export function learnedRates(resting: RestingHeartRate, atMs: number): LearnedRates {
  const { blockBpm, blockSeconds = 0, seenSeconds = 0, secondsByBpm = {} } = settle(resting, atMs);
  if (blockBpm === undefined) return { seconds: seenSeconds, secondsByBpm };
  return { seconds: round3(seenSeconds + blockSeconds), secondsByBpm: addTo(secondsByBpm, blockBpm, blockSeconds) };
}

/** Returns the bins. They include the newest rate only if `atMs` is later than its timestamp. */
function settle(resting: RestingHeartRate, atMs: number): Learned {
  if (atMs <= resting.atMs) return resting;
  return forget(resting.isSkipped ? resting : withNewest(resting), atMs - resting.atMs);
}

function withNewest(resting: RestingHeartRate): Learned {
  const { bpm, seconds, blockBpm = 0, blockSeconds = 0, seenSeconds = 0, secondsByBpm } = resting;
  const together = round3(blockSeconds + seconds);
  const mean = round3(blockBpm + ((bpm - blockBpm) * seconds) / together);
  if (together < model.baseline.reading_seconds_max)
    return { blockBpm: mean, blockSeconds: together, seenSeconds, secondsByBpm };
  return { seenSeconds: round3(seenSeconds + together), secondsByBpm: addTo(secondsByBpm ?? {}, mean, together) };
}

function addTo(secondsByBpm: Readonly<Record<string, number>>, bpm: number, seconds: number): Record<string, number> {
  const { bin_bpm } = model.baseline;
  const bin = Math.floor(bpm / bin_bpm) * bin_bpm;
  return { ...secondsByBpm, [bin]: round3((secondsByBpm[bin] ?? 0) + seconds) };
}

function forget(learned: Learned, gapMs: number): Learned {
  const { reading_seconds_max, capacity_seconds } = model.baseline;
  const { seenSeconds = 0 } = learned;
  if (gapMs > reading_seconds_max * 1000) return scale(learned, remembered(seenSeconds, gapMs));
  return seenSeconds > capacity_seconds ? scale(learned, 1 / 2) : learned;
}

function scale(learned: Learned, share: number): Learned {
  const { blockBpm, blockSeconds, seenSeconds = 0, secondsByBpm = {} } = learned;
  if (share === 1 || seenSeconds === 0) return learned;
  const scaled: Record<string, number> = {};
  for (const bin in secondsByBpm) scaled[bin] = round3((secondsByBpm[bin] ?? 0) * share);
  return { blockBpm, blockSeconds, seenSeconds: round3(seenSeconds * share), secondsByBpm: scaled };
}

/** Returns the quantile `resting_quantile` in bpm, interpolated within its bin. */
function quantileOf(secondsByBpm: Readonly<Record<string, number>>, seenSeconds: number): number {
  const { resting_quantile, bin_bpm } = model.baseline;
  let left = seenSeconds * resting_quantile;
  let highest = 0;
  // JavaScript enumerates integer keys in ascending order.
  for (const bin in secondsByBpm) {
    const seconds = secondsByBpm[bin] ?? 0;
    if (left <= seconds) return Number(bin) + (bin_bpm * left) / seconds;
    left -= seconds;
    highest = Number(bin);
  }
  return highest + bin_bpm;
}
