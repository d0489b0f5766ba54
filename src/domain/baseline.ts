import { stressModel as model } from '../../generated/spec.js';
import { addPastRate, learnResting, type RestingHeartRate, typicalHeartRate } from './resting.js';
import { addPastValue, followMean, meanOf, type RunningMean } from './running-mean.js';
import type { Signals } from './signals.js';

/** Baseline of one person. Each field is absent if its signal was never measured. Plain JSON of bounded size. */
export interface Baseline {
  readonly heart_rate?: RestingHeartRate | undefined;
  /** Mean of ln SDNN, in ln ms. */
  readonly sdnn?: RunningMean | undefined;
  /** Mean of ln RMSSD, in ln ms. */
  readonly rmssd?: RunningMean | undefined;
}

/** A typical value. `known` is between 0 (the value of the population) and 1 (the person's own value). */
export interface TypicalValue {
  readonly value: number;
  readonly known: number;
}

/** The heart rate that is typical of a person at a time of day, bpm. */
export interface TypicalHeartRate extends TypicalValue {
  /** The resting heart rate, bpm: a low quantile of the whole day. */
  readonly restingBpm: number;
  /** The rise above the typical heart rate that counts as stressed, bpm. */
  readonly stressedRiseBpm: number;
  /** Learned time, s. */
  readonly learnedSeconds: number;
  /** True if the person has enough readings for a personal resting heart rate. */
  readonly isPersonal: boolean;
}

/** Typical values of a person: resting heart rate in bpm, heart rate variability in ln ms. */
export interface Typical {
  readonly heart_rate: TypicalHeartRate;
  readonly sdnn: TypicalValue;
  readonly rmssd: TypicalValue;
}

/** One sample that the baseline learns from: smoothed heart rate in bpm, variability in ms. */
export interface Lesson {
  readonly atMs: number;
  readonly heart_rate?: number | undefined;
  readonly sdnn?: number | undefined;
  readonly rmssd?: number | undefined;
  /** True if movement explains the heart rate. The baseline then stores only the time. */
  readonly isSkipped?: boolean;
}

const { sdnn_population_ln_ms, rmssd_population_ln_ms } = model.hrv;

/**
 * Returns the typical values from readings strictly before `atMs`. For a signal in `measured`, uses only readings
 * strictly before that measurement. Without a baseline, returns the values of the population.
 */
export function typicalOf(baseline: Baseline | undefined, atMs: number, measured: Signals = {}): Typical {
  return {
    heart_rate: typicalHeartRate(baseline?.heart_rate, measured.heart_rate?.atMs ?? atMs),
    sdnn: meanOf(baseline?.sdnn, measured.sdnn?.atMs ?? atMs, sdnn_population_ln_ms),
    rmssd: meanOf(baseline?.rmssd, measured.rmssd?.atMs ?? atMs, rmssd_population_ln_ms),
  };
}

/** Returns the progress of a baseline, 0–1, two decimals. 1 when the typical heart rate of the person counts half. */
export function learnedProgress({ learnedSeconds }: TypicalHeartRate): number {
  return Math.floor(Math.min(1, learnedSeconds / model.baseline.typical_weight_seconds) * 100) / 100;
}

/** Returns the baseline updated with a reading. Call it after the reading is scored. Ignores late readings. */
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

/** Seconds that each sample of a lesson represents. */
export type Durations = Readonly<Record<'heart_rate' | 'sdnn' | 'rmssd', number>>;

/**
 * Returns the baseline updated with a backfilled reading, which may be older than the newest reading of the baseline.
 * An older sample is added to the earlier samples of the person, with its duration as its weight.
 */
export function learnPast(baseline: Baseline | undefined, lesson: Lesson, durations: Durations): Baseline {
  const { atMs, isSkipped = false } = lesson;
  const held = baseline ?? {};
  const learned = learn(baseline, lesson);
  const isPast = (name: keyof Durations) => lesson[name] !== undefined && atMs < (held[name]?.atMs ?? 0);
  const past = (name: 'sdnn' | 'rmssd') => {
    const [track, ms] = [held[name], lesson[name]];
    if (!track || ms === undefined || !isPast(name)) return learned[name];
    return addPastValue(track, { atMs, value: Math.log(ms), isSkipped }, durations[name]);
  };
  const { heart_rate: resting } = held;
  const rate = { atMs, bpm: lesson.heart_rate ?? 0, isSkipped };
  return {
    heart_rate: resting && isPast('heart_rate') ? addPastRate(resting, rate, durations.heart_rate) : learned.heart_rate,
    sdnn: past('sdnn'),
    rmssd: past('rmssd'),
  };
}
