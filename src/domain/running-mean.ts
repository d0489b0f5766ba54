import { stressModel as model } from '../../generated/spec.js';
import type { TypicalValue } from './baseline.js';

/**
 * A running, time-weighted mean of ln SDNN or ln RMSSD.
 * The newest value is kept apart from the mean, so that readings of one instant may arrive in any order.
 */
export interface RunningMean {
  /** Instants of the first and the newest reading, epoch ms. */
  readonly firstAtMs: number;
  readonly atMs: number;
  /** The newest value and its duration in seconds. Not included in the mean yet. */
  readonly value: number;
  readonly seconds: number;
  /** Mean of all earlier values and the seconds they stand for, after forgetting. */
  readonly mean: number;
  readonly meanSeconds: number;
}

/** Adds a value. If two values have the same time, the lower one counts because it is more stressful. */
export function followMean(track: RunningMean | undefined, atMs: number, value: number): RunningMean {
  const secondsMax = model.baseline.reading_seconds_max;
  if (!track) return { firstAtMs: atMs, atMs, value, seconds: secondsMax, mean: 0, meanSeconds: 0 };
  if (atMs < track.atMs) return track;
  if (atMs === track.atMs) return { ...track, value: Math.min(value, track.value) };
  const seconds = Math.min(secondsMax, (atMs - track.atMs) / 1000);
  return { firstAtMs: track.firstAtMs, atMs, value, seconds, ...settle(track, atMs) };
}

/** The mean from strictly earlier readings, shrunk to the population. */
export function meanOf(track: RunningMean | undefined, atMs: number, population: number): TypicalValue {
  if (!track) return { value: population, known: 0 };
  const { mean, meanSeconds } = settle(track, atMs);
  const known = acquaintance(track.firstAtMs, atMs) * (meanSeconds / (meanSeconds + model.baseline.weight_seconds));
  return { value: population + known * (mean - population), known };
}

/** Returns 0 for the first reading, rising to 1 after `reading_seconds_max`. */
export function acquaintance(firstAtMs: number, atMs: number): number {
  return Math.min(1, Math.max(0, (atMs - firstAtMs) / 1000 / model.baseline.reading_seconds_max));
}

/** Returns the mean including the newest value if `atMs` is later than it, otherwise without it. */
function settle(track: RunningMean, atMs: number): Pick<RunningMean, 'mean' | 'meanSeconds'> {
  if (atMs <= track.atMs) return { mean: track.mean, meanSeconds: track.meanSeconds };
  const seconds = track.meanSeconds + track.seconds;
  const mean = track.mean + ((track.value - track.mean) * track.seconds) / seconds;
  return { mean, meanSeconds: seconds * remembered(seconds, atMs - track.atMs) };
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
