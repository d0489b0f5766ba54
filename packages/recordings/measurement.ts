import type { Outcome, Seen } from './account.js';
import { formatsRead } from './field-map.js';
import { describeNames } from './names.js';
import type { Field } from './signals.js';
import type { ActivityLevel } from './sports.js';
import type { DateOrder, Zone } from './times.js';

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

/** Kinds of facts. The last three mean that nothing measured in the interval is of the person. */
export type FactKind = 'exercise' | 'rest' | 'sleep' | 'not_worn' | 'other_person' | 'invalid';

/**
 * What happened to the person in an interval, e.g. a workout. A recording states it apart from its measurements: it decides how
 * the service reads those in the interval, which may be in another recording.
 */
export interface Fact {
  readonly kind: FactKind;
  /** How much the person moved, of an exercise. Absent if the recording does not tell. */
  readonly level?: ActivityLevel | undefined;
  /** Start, epoch ms. NaN if the recording has no valid time. */
  readonly atMs: number;
  /** End, epoch ms. Absent for an interval that has not ended. */
  readonly untilMs?: number | undefined;
  /** The id of the entry within its source. Absent if it has none: kind and start then name the fact. */
  readonly id?: string | undefined;
  /** Of two facts with one id, the one with the higher revision counts. Default: the length of the interval, in seconds. */
  readonly revision?: number | undefined;
}

/** An entry that is not used. The reason is fixed text or names one of a few files, so that the number of reasons is bounded. */
export interface SkippedEntry {
  readonly skipped: string;
  /** Default: refused. */
  readonly as?: Outcome | undefined;
  /** Number of its values. 0 if `Seen` leaves them to the unknown fields. Default: 1. */
  readonly values?: number | undefined;
}

/** What a reader inferred from the values, for people. */
export interface Note {
  readonly note: string;
}

export type Item = Measurement | Fact | SkippedEntry | Seen | Note;

/** What the values of a recording show, and a caller may overrule. */
export const inferences = ['day-summary', 'placeholder'] as const;
export type Inference = (typeof inferences)[number];

/** A content in order. Each iteration begins at the first byte. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A file or body of one person. */
export interface Recording {
  /** Name of the file, without its folder. */
  readonly name: string;
  readonly chunks: Chunks;
  /** The zone of times that state none. */
  readonly zone: Zone;
  /** Start of a recording whose times count from its start, e.g. of a list of beats, epoch ms. */
  readonly startMs?: number | undefined;
  /** The person to read, if the rows of a CSV are of several. */
  readonly person?: string | undefined;
  /** Order of the dates of a CSV, if the file does not show it. */
  readonly dateOrder?: DateOrder | undefined;
  /** Column or field with the times, if its name does not show it. */
  readonly timeColumn?: string | undefined;
  /** What is read although its values look like something else. */
  readonly keep?: readonly Inference[] | undefined;
}

/**
 * The content is no recording that is read, e.g. a file of another kind in an export. Other errors are of a recording that
 * cannot be read as it is.
 */
export class NotReadError extends Error {
  /** `names` are the columns or fields of the content. */
  constructor(problem: string, names?: readonly string[]) {
    const found = names ? `. Its names: ${describeNames(names)}` : '';
    super(`format not known: ${problem}${found}. ${formatsRead}`);
  }
}

/** The content has values of whole days. */
export class DaySummaryError extends NotReadError {
  /** Number of the values. */
  readonly seen: Seen;

  constructor(seen: Seen) {
    super('one row per day: no heart rate of minutes in it (--keep day-summary reads each as a minute)');
    this.seen = seen;
  }
}

/**
 * Reads a recording and yields its items in groups, in the order of the content. Memory does not grow with the content, or
 * a large one is rejected. Throws an error of one line that names the place and the remedy.
 */
export type Reader = (recording: Recording) => AsyncGenerator<readonly Item[]>;
