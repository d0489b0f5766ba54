import type { Field } from './signals.js';
import type { ActivityLevel } from './sports.js';

/** One measured value of a recording. */
export interface Measurement {
  readonly field: Field;
  /** Time of measurement, or start of the interval that was counted, epoch ms. NaN if the recording has no valid time. */
  readonly atMs: number;
  /** End of the interval in which steps were counted, epoch ms. */
  readonly untilMs?: number | undefined;
  /** In the unit of the field. NaN if the recording has no number. */
  readonly value: number;
  /** True for steps that are a rate per minute, such as a cadence. */
  readonly isRate?: boolean | undefined;
  /** The device or app. Two sources may measure the same person. Default: the file. */
  readonly source?: string | undefined;
  /** What the file says that the person did at this time. */
  readonly activity?: ActivityLevel | undefined;
}

/** A workout that a recording states apart from its measurements. */
export interface Workout {
  readonly workout: ActivityLevel;
  readonly atMs: number;
  readonly untilMs: number;
}

/** An entry that cannot be used. The reason is fixed text, so that the number of different reasons is bounded. */
export interface Skipped {
  readonly skipped: string;
}

export type Item = Measurement | Workout | Skipped;

/** A file or body of one person. */
export interface Recording {
  /** Name of the file, without its folder. */
  readonly name: string;
  /** The content in order. It is read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Offset of local times from UTC, ms. It applies to formats whose times have no zone. */
  readonly utcOffsetMs: number;
}

/**
 * Reads a recording and yields its items in groups, in the order of the content. Memory does not grow with the content, or
 * a large one is rejected. Throws an error of one line that names the place and the remedy.
 */
export type Reader = (recording: Recording) => AsyncGenerator<readonly Item[]>;
