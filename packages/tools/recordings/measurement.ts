import { open, readFile, stat } from 'node:fs/promises';
import type { Field } from './field-map.js';
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

/** Reads a file as a whole. Rejects a file above 64 MB, so that memory is bounded. */
export async function readWholeFile(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > wholeFileMaxBytes)
    throw new Error(`the file has ${size} bytes, at most ${wholeFileMaxBytes} are read: split it by day or activity`);
  return readFile(path);
}

/** Reads a JSON file as a whole. */
export async function readWholeText(path: string): Promise<string> {
  return (await readWholeFile(path)).toString('utf8').replace(/^\uFEFF/, '');
}

/** Returns the first 4 kB of a file. */
export async function readHead(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { bytesRead, buffer } = await handle.read({ length: 4096 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Returns the epoch ms of an ISO 8601 date-time, e.g. `2026-11-21T09:30:00Z` or `2026-11-21 09:30:00 +0100`. A time
 * without a zone is a local time with the offset. Returns the epoch ms of a number of seconds or milliseconds as well.
 * NaN if the text is none of these.
 */
export function readTime(text: string, utcOffsetMs: number): number {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (!parts) return Number.NaN;
  const [, date = '', time = '', zone] = parts;
  const seconds = time.length === 5 ? `${time}:00` : time;
  const isValid = new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) ?? false;
  if (!isValid) return Number.NaN;
  if (zone === undefined) return Date.parse(`${date}T${seconds}Z`) - utcOffsetMs;
  return Date.parse(`${date}T${seconds}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
}
