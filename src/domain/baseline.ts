import { stressModel as model } from '../../generated/spec.js';
import { learnResting, type RestingHeartRate, restingOf } from './resting.js';
import { followMean, meanOf, type RunningMean } from './running-mean.js';

/** What is typical for one person; absent parts mean that the signal was never seen. Plain JSON of bounded size. */
export interface Baseline {
  readonly heart_rate?: RestingHeartRate | undefined;
  /** ln ms */
  readonly sdnn?: RunningMean | undefined;
  /** ln ms */
  readonly rmssd?: RunningMean | undefined;
}

/** A typical value, shrunk to the population; known 0 is the population itself, toward 1 the person's own. */
export interface TypicalValue {
  readonly value: number;
  readonly known: number;
}

/** A resting heart rate, bpm. */
export interface TypicalHeartRate extends TypicalValue {
  /** True once enough was seen of the person to speak of their resting heart rate. */
  readonly isPersonal: boolean;
}

/** Resting heart rate in bpm, heart rate variability in ln ms. */
export interface Typical {
  readonly heart_rate: TypicalHeartRate;
  readonly sdnn: TypicalValue;
  readonly rmssd: TypicalValue;
}

/** One instant's lesson: the smoothed heart rate, bpm, and variability, ms. */
export interface Lesson {
  readonly atMs: number;
  readonly heart_rate?: number | undefined;
  readonly sdnn?: number | undefined;
  readonly rmssd?: number | undefined;
}

const { sdnn_population_ln_ms, rmssd_population_ln_ms } = model.hrv;

/** What is typical at an instant, from strictly earlier readings only. Without a baseline: the population. */
export function typicalOf(baseline: Baseline | undefined, atMs: number): Typical {
  return {
    heart_rate: restingOf(baseline?.heart_rate, atMs),
    sdnn: meanOf(baseline?.sdnn, atMs, sdnn_population_ln_ms),
    rmssd: meanOf(baseline?.rmssd, atMs, rmssd_population_ln_ms),
  };
}

/** Learns from a reading; call it after the reading was scored. A late reading teaches nothing: its time is already taken. */
export function learn(baseline: Baseline | undefined, { atMs, heart_rate, sdnn, rmssd }: Lesson): Baseline {
  return {
    heart_rate: heart_rate === undefined ? baseline?.heart_rate : learnResting(baseline?.heart_rate, atMs, heart_rate),
    sdnn: sdnn === undefined ? baseline?.sdnn : followMean(baseline?.sdnn, atMs, Math.log(sdnn)),
    rmssd: rmssd === undefined ? baseline?.rmssd : followMean(baseline?.rmssd, atMs, Math.log(rmssd)),
  };
}
