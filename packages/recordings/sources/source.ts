import type { Item, Measurement } from '../measurement.js';
import type { Field } from '../signals.js';

/** Reasons why a sample of a source is not stored. */
export const notRead = 'not_read';

export interface SourceTime {
  /** Returns the epoch ms of a time, NaN if it is not readable or has no zone and none is known. */
  readonly readTime: (text: string) => number;
  /** Time at which the body arrived, epoch ms: the time of a sample that states none. */
  readonly nowMs: number;
}

/** An app that posts by itself. */
export interface Source {
  /** Name of the app, for people. */
  readonly name: string;
  /** What the source reads, for the guide. */
  readonly reads: string;
  /**
   * Yields the items of a parsed body. What is not read is an item with the reason `not_read`. Throws a `SourceFormError` if the
   * body is not of the form of the source.
   */
  readonly read: (body: unknown, time: SourceTime) => Iterable<Item>;
}

/** The body is not of the form of the source. */
export class SourceFormError extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the objects of a list. Throws a `SourceFormError` for another value. Empty for an absent list. */
export function readList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SourceFormError('not a list');
  return value;
}

/** Returns a number, also of a text. NaN for another value, e.g. `unavailable`. */
export function readNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return Number.NaN;
  return Number(value.trim().replace(',', '.'));
}

/** Returns the epoch ms of a text or number of seconds or ms. NaN for another value. */
export function readAt(value: unknown, { readTime }: SourceTime): number {
  return typeof value === 'string' || typeof value === 'number' ? readTime(String(value).trim()) : Number.NaN;
}

/** Returns the name of a device, which some apps send as an object. */
export function readDevice(value: unknown): string | undefined {
  const name = isObject(value) ? (value['name'] ?? value['device'] ?? value['deviceModel']) : value;
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

export function measure(field: Field, atMs: number, value: unknown, rest: Partial<Measurement> = {}): Measurement {
  return { field, atMs, value: readNumber(value), ...rest };
}

/** Yields one skipped item per entry of parts that are not read. */
export function* skipUnread(parts: Fields, known: readonly string[]): Generator<Item> {
  for (const [name, value] of Object.entries(parts)) {
    if (known.includes(name)) continue;
    for (let count = Array.isArray(value) ? value.length : 0; count > 0; count -= 1) yield { skipped: notRead };
  }
}
