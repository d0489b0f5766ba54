import { stressModel as model } from '../../generated/spec.js';
import type { TypicalValue } from './baseline.js';
import { round3, round6 } from './rounding.js';

/**
 * A running, time-weighted mean of ln SDNN or ln RMSSD. The newest value is stored separately, so that readings with
 * the same time may arrive in any order.
 */
export interface RunningMean {
  /** Instant of the first reading, epoch ms. Absent once it no longer matters. */
  readonly firstAtMs?: number | undefined;
  /** Instant of the newest reading, epoch ms. */
  readonly atMs: number;
  /** The newest value and its duration in seconds. Not included in the mean yet. */
  readonly value: number;
  readonly seconds: number;
  /** True if the newest value is not learned, because movement explains the heart rate. */
  readonly isSkipped?: boolean | undefined;
  /** Mean of all earlier values, after decay. Absent if there are none. */
  readonly mean?: number | undefined;
  /** Duration of the earlier values in seconds, after decay. */
  readonly meanSeconds?: number | undefined;
}

/** A value at one time. */
interface Measured {
  readonly atMs: number;
  readonly value: number;
  readonly isSkipped: boolean;
}

/** Adds a value. If two values have the same time, the lower one counts because it is more stressful. */
export function followMean(track: RunningMean | undefined, measured: Measured): RunningMean {
  const { atMs } = measured;
  const [value, isSkipped] = [round6(measured.value), measured.isSkipped || undefined];
  const secondsMax = model.baseline.reading_seconds_max;
  if (!track) return { firstAtMs: atMs, atMs, value, seconds: secondsMax, isSkipped };
  if (atMs < track.atMs) return track;
  if (atMs === track.atMs) return { ...track, value: Math.min(value, track.value), isSkipped };
  const seconds = Math.min(secondsMax, (atMs - track.atMs) / 1000);
  const { mean, meanSeconds } = settle(track, atMs);
  return { firstAtMs: firstSeen(track.firstAtMs, atMs), atMs, value, seconds, isSkipped, mean, meanSeconds };
}

/** The mean from strictly earlier readings, shrunk to the population. */
export function meanOf(track: RunningMean | undefined, atMs: number, population: number): TypicalValue {
  if (!track) return { value: population, known: 0 };
  const { mean = population, meanSeconds = 0 } = settle(track, atMs);
  const known = acquaintance(track.firstAtMs, atMs) * (meanSeconds / (meanSeconds + model.baseline.weight_seconds));
  return { value: population + known * (mean - population), known };
}

/** Returns 0 for the first reading, rising to 1 after `reading_seconds_max`. */
export function acquaintance(firstAtMs: number | undefined, atMs: number): number {
  if (firstAtMs === undefined) return 1;
  return Math.min(1, Math.max(0, (atMs - firstAtMs) / 1000 / model.baseline.reading_seconds_max));
}

/** Returns the instant of the first reading while `acquaintance` depends on it. */
export function firstSeen(firstAtMs: number | undefined, atMs: number): number | undefined {
  return acquaintance(firstAtMs, atMs) < 1 ? firstAtMs : undefined;
}

/** Returns the mean including the newest value if `atMs` is later than it, otherwise without it. */
function settle(track: RunningMean, atMs: number): Pick<RunningMean, 'mean' | 'meanSeconds'> {
  if (atMs <= track.atMs || track.isSkipped) return track;
  const { mean = 0, meanSeconds = 0 } = track;
  const seconds = meanSeconds + track.seconds;
  const left = seconds * remembered(seconds, atMs - track.atMs);
  return { mean: round6(mean + ((track.value - mean) * track.seconds) / seconds), meanSeconds: round3(left) };
}

/**
 * Returns the share of the seconds that remains after a gap in ms: half after a half-life, with a lower bound of
 * `remembered_seconds`.
 */
export function remembered(seconds: number, gapMs: number): number {
  const { half_life_days, remembered_seconds } = model.baseline;
  const left = 2 ** (-gapMs / (half_life_days * 24 * 60 * 60 * 1000));
  return Math.max(left, Math.min(1, remembered_seconds / seconds));
}
