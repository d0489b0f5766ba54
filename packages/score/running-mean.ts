import { stressModel as model } from './model.js';
import type { RunningMean } from './rows/person.js';
import { round3, round6 } from './rows/values.js';
import type { TypicalValue } from './situation.js';

/** A value at one time. */
export interface MeasuredValue {
  readonly atMs: number;
  readonly value: number;
  readonly isSkipped: boolean;
}

/** Adds a value. If two values have the same timestamp, the lower value counts, because it indicates more stress. */
export function addValue(track: RunningMean | undefined, measured: MeasuredValue): RunningMean {
  const { atMs } = measured;
  const [value, isSkipped] = [round6(measured.value), measured.isSkipped || undefined];
  const secondsMax = model.baseline.reading_seconds_max;
  if (!track) return { firstAtMs: atMs, atMs, value, seconds: secondsMax, isSkipped };
  if (atMs < track.atMs) return track;
  if (atMs === track.atMs) return { ...track, value: Math.min(value, track.value), isSkipped };
  const seconds = Math.min(secondsMax, (atMs - track.atMs) / 1000);
  const { mean, meanSeconds } = includeNewest(track, atMs);
  return { firstAtMs: keepFirstTime(track.firstAtMs, atMs), atMs, value, seconds, isSkipped, mean, meanSeconds };
}

/** Adds a value that is older than the newest one and represents `seconds`. The order of past values does not matter. */
export function addLateValue(
  track: RunningMean,
  { atMs, value, isSkipped }: MeasuredValue,
  seconds: number,
): RunningMean {
  if (isSkipped || seconds <= 0) return track;
  const { mean = 0, meanSeconds = 0 } = track;
  const together = meanSeconds + seconds;
  const shifted = mean + ((round6(value) - mean) * seconds) / together;
  return { ...track, firstAtMs: findFirstTime(track, atMs), mean: round6(shifted), meanSeconds: round3(together) };
}

/** Returns the mean of strictly earlier readings. With few readings, it is close to the population's value. */
export function readMean(track: RunningMean | undefined, atMs: number, population: number): TypicalValue {
  if (!track) return { value: population, known: 0 };
  const { mean = population, meanSeconds = 0 } = includeNewest(track, atMs);
  const known =
    computeFamiliarity(track.firstAtMs, atMs) * (meanSeconds / (meanSeconds + model.baseline.weight_seconds));
  return { value: population + known * (mean - population), known };
}

/**
 * Returns how well the person is known by duration: 0 at the first reading, rising to 1 after `reading_seconds_max`.
 */
export function computeFamiliarity(firstAtMs: number | undefined, atMs: number): number {
  if (firstAtMs === undefined) return 1;
  return Math.min(1, Math.max(0, (atMs - firstAtMs) / 1000 / model.baseline.reading_seconds_max));
}

/** Returns the timestamp of the first reading while `computeFamiliarity` depends on it. Otherwise undefined. */
export function keepFirstTime(firstAtMs: number | undefined, atMs: number): number | undefined {
  return computeFamiliarity(firstAtMs, atMs) < 1 ? firstAtMs : undefined;
}

/** Returns the timestamp of the first reading after a past reading is added. */
export function findFirstTime(
  { firstAtMs, atMs }: Pick<RunningMean, 'firstAtMs' | 'atMs'>,
  pastMs: number,
): number | undefined {
  return firstAtMs === undefined ? undefined : keepFirstTime(Math.min(firstAtMs, pastMs), atMs);
}

/** Returns the mean at `atMs`. Includes the newest value only if its timestamp is before `atMs`. */
export function includeNewest(track: RunningMean, atMs: number): Pick<RunningMean, 'mean' | 'meanSeconds'> {
  if (atMs <= track.atMs || track.isSkipped) return track;
  const { mean = 0, meanSeconds = 0 } = track;
  const seconds = meanSeconds + track.seconds;
  const left = seconds * computeRemainingShare(seconds, atMs - track.atMs);
  return { mean: round6(mean + ((track.value - mean) * track.seconds) / seconds), meanSeconds: round3(left) };
}

/**
 * Returns the share of the seconds that remains after a gap, in ms. The share halves per half-life. At least
 * `remembered_seconds` remain.
 */
export function computeRemainingShare(seconds: number, gapMs: number): number {
  const { half_life_days, remembered_seconds } = model.baseline;
  const left = 2 ** (-gapMs / (half_life_days * 24 * 60 * 60 * 1000));
  return Math.max(left, Math.min(1, remembered_seconds / seconds));
}
