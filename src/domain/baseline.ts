import { stressModel as model } from '../../generated/spec.js';
import { learnResting, type RestingHeartRate, restingOf } from './resting.js';
import { followMean, meanOf, type RunningMean } from './running-mean.js';
import type { Signals } from './signals.js';

/** Baseline of one person. A part is absent if its signal was never measured. Plain JSON of bounded size. */
export interface Baseline {
  readonly heart_rate?: RestingHeartRate | undefined;
  /** ln ms */
  readonly sdnn?: RunningMean | undefined;
  /** ln ms */
  readonly rmssd?: RunningMean | undefined;
}

/** A typical value. `known` is 0 for the value of the population and approaches 1 for the person's own. */
export interface TypicalValue {
  readonly value: number;
  readonly known: number;
}

/** A resting heart rate, bpm. */
export interface TypicalHeartRate extends TypicalValue {
  /** True if there are enough readings to call it a personal resting heart rate. */
  readonly isPersonal: boolean;
}

/** Resting heart rate in bpm, heart rate variability in ln ms. */
export interface Typical {
  readonly heart_rate: TypicalHeartRate;
  readonly sdnn: TypicalValue;
  readonly rmssd: TypicalValue;
}

/** Input for learning, at one time: smoothed heart rate in bpm, variability in ms. */
export interface Lesson {
  readonly atMs: number;
  readonly heart_rate?: number | undefined;
  readonly sdnn?: number | undefined;
  readonly rmssd?: number | undefined;
  /** True if movement explains the heart rate. The baseline then only takes note of the time. */
  readonly isSkipped?: boolean;
}

const { sdnn_population_ln_ms, rmssd_population_ln_ms } = model.hrv;

/**
 * Returns the typical values from readings strictly earlier than each measured signal, or than `atMs` for the others.
 * Those of the population without a baseline.
 */
export function typicalOf(baseline: Baseline | undefined, atMs: number, measured: Signals = {}): Typical {
  return {
    heart_rate: restingOf(baseline?.heart_rate, measured.heart_rate?.atMs ?? atMs),
    sdnn: meanOf(baseline?.sdnn, measured.sdnn?.atMs ?? atMs, sdnn_population_ln_ms),
    rmssd: meanOf(baseline?.rmssd, measured.rmssd?.atMs ?? atMs, rmssd_population_ln_ms),
  };
}

/** Updates the baseline with a reading. Call it after the reading is scored. Ignores late readings. */
export function learn(baseline: Baseline | undefined, lesson: Lesson): Baseline {
  const { atMs, heart_rate, sdnn, rmssd, isSkipped = false } = lesson;
  const held = baseline ?? {};
  const follow = (track: RunningMean | undefined, ms: number | undefined) =>
    ms === undefined ? track : followMean(track, { atMs, value: Math.log(ms), isSkipped });
  return {
    heart_rate:
      heart_rate === undefined ? held.heart_rate : learnResting(held.heart_rate, { atMs, bpm: heart_rate, isSkipped }),
    sdnn: follow(held.sdnn, sdnn),
    rmssd: follow(held.rmssd, rmssd),
  };
}
