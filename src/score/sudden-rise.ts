import { stressModel as model } from '../../generated/spec.js';
import { round3 } from './rounding.js';

/** Heart rate of the last quiet minutes. Mean and variance fade exponentially, so that readings of any density count alike. */
export interface QuietRate {
  /** Mean, bpm. */
  readonly bpm: number;
  /** Variance, bpm². */
  readonly variance: number;
  /** Quiet time so far, s, at most `quiet_seconds`. */
  readonly seconds: number;
  /** Time since the heart rate rose far above the mean, s. The mean does not change meanwhile. Absent without a rise. */
  readonly raisedSeconds?: number | undefined;
}

/**
 * Returns the quiet minutes after a heart rate that is `gapSeconds` newer. They start again after a pause, and when a
 * rise has lasted long.
 */
export function followQuiet(held: QuietRate | undefined, bpm: number, gapSeconds: number): QuietRate {
  const { pause_seconds, rise_seconds_max } = model.sudden_rise;
  const start = { bpm: round3(bpm), variance: 0, seconds: 0 };
  if (!held || gapSeconds > pause_seconds) return start;
  if (!isRaised(held, bpm, gapSeconds)) return include(held, bpm, gapSeconds);
  const raisedSeconds = held.raisedSeconds === undefined ? 0 : round3(held.raisedSeconds + gapSeconds);
  return raisedSeconds > rise_seconds_max ? start : { ...held, raisedSeconds };
}

/** Returns how far a heart rate is above the quiet minutes, bpm, once the rise has lasted. Undefined otherwise. */
export function suddenRise({ bpm: mean, raisedSeconds = -1 }: QuietRate, bpm: number): number | undefined {
  return raisedSeconds >= model.sudden_rise.rise_seconds ? bpm - mean : undefined;
}

function isRaised(
  { bpm: mean, variance, seconds, raisedSeconds }: QuietRate,
  bpm: number,
  gapSeconds: number,
): boolean {
  const { quiet_seconds, sd_bpm_max, from_bpm, until_bpm } = model.sudden_rise;
  if (raisedSeconds !== undefined) return bpm - mean >= until_bpm;
  const isQuiet = seconds + gapSeconds >= quiet_seconds && variance <= sd_bpm_max ** 2;
  return isQuiet && bpm - mean >= from_bpm;
}

function include(held: QuietRate, bpm: number, gapSeconds: number): QuietRate {
  const { quiet_seconds, mean_seconds } = model.sudden_rise;
  const seconds = held.seconds + gapSeconds;
  const share = Math.max(gapSeconds / seconds, 1 - Math.exp(-gapSeconds / mean_seconds));
  const difference = bpm - held.bpm;
  return {
    bpm: round3(held.bpm + share * difference),
    variance: round3((1 - share) * (held.variance + share * difference ** 2)),
    seconds: Math.min(quiet_seconds, round3(seconds)),
  };
}
