import type { Field } from './field-map.js';

/** One measured value of a recording. */
export interface Measurement {
  readonly field: Field;
  /** Time of measurement, or start of the interval that was counted, epoch ms. NaN if the recording has no valid time. */
  readonly atMs: number;
  /** End of the interval in which steps were counted, epoch ms. */
  readonly untilMs?: number;
  /** In the unit of the field. NaN if the recording has no number. */
  readonly value: number;
  /** The device or app. Two sources may count the same steps. */
  readonly source?: string;
}

/** An entry that cannot be used. The reason is fixed text, so that the number of different reasons is bounded. */
export interface Skipped {
  readonly skipped: string;
}

export type Item = Measurement | Skipped;

export interface RecordingFile {
  readonly path: string;
  /** Offset of local times from UTC, ms. It applies to formats whose times have no zone. */
  readonly utcOffsetMs: number;
}

/**
 * Reads a file and yields its items in groups, in the order of the file. Memory does not grow with the file, or a large
 * file is rejected. Throws an error of one line that names the place and the remedy.
 */
export type Reader = (file: RecordingFile) => AsyncGenerator<readonly Item[]>;

/** Maximum size of a file that is read as a whole, bytes. A day of Fitbit or a FIT activity has about 1 MB. */
export const wholeFileMaxBytes = 64 * 1024 * 1024;
