import type { RaisedCause, Signals } from './rows/values.js';

/** A typical value. `known` is between 0 (the value of the population) and 1 (the person's own value). */
export interface TypicalValue {
  readonly value: number;
  readonly known: number;
}

/** The heart rate that is typical of a person at a time of day, in bpm. */
export interface TypicalHeartRate extends TypicalValue {
  /** The resting heart rate in bpm: a low quantile of the whole day. */
  readonly restingBpm: number;
  /** The rise above the typical heart rate that counts as stressed, in bpm. */
  readonly stressedRiseBpm: number;
  /** True in hours in which the person usually sleeps. The values are then those of the whole day. */
  readonly isSleepTime?: true | undefined;
  /** Total duration of the heart rates that the baseline contains, after decay, in seconds. */
  readonly learnedSeconds: number;
  /**
   * Time with a heart rate raised as under stress, minus the later time without such a heart rate in seconds. At most
   * `unlike_seconds`.
   */
  readonly raisedSeconds: number;
}

/** Typical values of a person: resting heart rate in bpm, heart rate variability in ln ms. */
export interface TypicalValues {
  readonly heart_rate: TypicalHeartRate;
  readonly sdnn: TypicalValue;
  readonly rmssd: TypicalValue;
}

/** The heart rate as of the newest reading. */
export interface HeartRateLevel {
  /** Smoothed heart rate in bpm, which follows small changes slowly. */
  readonly bpm: number;
  /** Trimmed mean of the smoothing window, in bpm. */
  readonly fastBpm: number;
  /** False while a jump to the newest reading is unconfirmed. `bpm` is then the level before the jump. */
  readonly isConfirmed: boolean;
  /** Rise above the last quiet minutes, in bpm. Absent without a sudden rise. */
  readonly suddenBpm?: number | undefined;
}

/** The likely cause of a raised heart rate, and the part of the rise that it explains, in bpm. */
export interface RaisedHeart {
  readonly likely: RaisedCause;
  readonly explainedBpm: number;
}

/** Input of the score at one time. */
export interface ScoreInput {
  readonly signals: Signals;
  readonly typical: TypicalValues;
  /** Smoothed heart rate. Absent if none was measured. */
  readonly heart?: HeartRateLevel | undefined;
  /** Heart rate rise that movement explains, in bpm above rest. At most the whole rise. */
  readonly explainedBpm: number;
  /** What a raised heart rate without a second witness can mean. Absent otherwise. */
  readonly raised?: RaisedHeart | undefined;
  /** Number of earlier tones that agree with a stressful tone. Absent for 0. */
  readonly agreeingTones?: number | undefined;
}
