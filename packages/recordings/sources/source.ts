import { signals as contract } from '../../../generated/spec.js';
import type { Item, Measurement } from '../measurement.js';
import { textMaxCharacters } from '../names.js';
import type { Field } from '../signals.js';
import { createOrderFinder, type DateOrder, readMsOfDay, type TimeReader } from '../times.js';
import { toDigit } from '../written-dates.js';
import type { SignatureScheme } from './signatures.js';

/** Reasons why a sample of a source is not stored. */
export const notRead = 'not_read';
/** What is not read. Its values are those of unknown fields. */
export const unread = { skipped: notRead, values: 0 } as const;

export interface SourceTime {
  /** Returns the epoch ms of a time, NaN if it is not readable or has no zone and none is known. */
  readonly readTime: TimeReader;
  /** Order of the dates of a list of samples. */
  readonly order?: DateOrder | undefined;
  /** Time at which the body arrived, epoch ms: the time of a sample that states none. */
  readonly nowMs: number;
}

/** How a person said to feel at a moment. It is a report of the person, and no signal. */
export interface Mood {
  /** From -1 (very unpleasant) to 1 (very pleasant). */
  readonly valence: number;
  readonly atMs: number;
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
  readonly read: (body: unknown, time: SourceTime) => Iterable<Item | Mood>;
}

/** A service that posts data of many people. `read` reads one event, and a body is an event or a list of them. */
export interface Hub extends Source {
  readonly signature: SignatureScheme;
  /** Returns what the event states as the id of its person. */
  readonly readPerson: (event: unknown) => unknown;
}

/** The body is not of the form of the source. */
export class SourceFormError extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object inside of others. Empty if one is absent or no object: hubs send null for what they do not know. */
export function readPart(value: unknown, ...names: readonly string[]): Fields {
  const part = names.reduce((outer, name) => (isObject(outer) ? outer[name] : undefined), value);
  return isObject(part) ? part : {};
}

/** Returns the objects of a list. Throws a `SourceFormError` for another value. Empty for an absent list. */
export function readList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SourceFormError('not a list');
  return value;
}

/**
 * Returns a text or number as a text without spaces around it. Empty for another value, and for a text that is longer than a
 * body may state. Only this function converts values, because a list or an object has any size, and many samples share it.
 */
export function readText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.length <= textMaxCharacters ? value.trim() : '';
}

/** Returns a number, also of a text. NaN for another value, e.g. `unavailable`. */
export function readNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  const text = readText(value);
  return text === '' ? Number.NaN : Number(text.replace(',', '.'));
}

/** Units that apps write behind a number, by the unit of the contract. */
const units: Readonly<Record<string, RegExp>> = {
  bpm: /^(count|beats?|bpm|lpm|ppm|уд|次|拍|회|slag|schläge|bat|batt|s(?=[/·]))?\.? ?[/·]? ?(min(ute)?\.?|мин\.?|分[鐘钟]?|분)?$/iu,
  ms: /^(ms|msec|milliseconds?|мс|毫秒|ミリ秒|밀리초)$/iu,
  'breaths per minute': /^(count|breaths?|br?pm)? ?\/? ?(min(ute)?)?$/iu,
  steps: /^(count|steps?|schritte?|pas|pasos|passi|步|歩|걸음)$/iu,
};

/** Returns the number of a value such as `72 count/min`. NaN if it has another unit than the field. */
function readQuantity(value: unknown, field: Field): number {
  if (typeof value === 'number') return value;
  const text = readText(value)
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, toDigit);
  const [, number = '', unit = ''] = /^([+-]?\d+(?:[.,]\d+)?)\s*(\D*)$/u.exec(text) ?? [];
  const row = contract[field];
  const known = units['unit' in row ? row.unit : ''];
  return unit === '' || known?.test(unit.trim()) ? readNumber(number === '' ? text : number) : Number.NaN;
}

/** Returns the epoch ms of a text or number of seconds or ms. NaN for another value. */
export function readAt(value: unknown, { readTime, order }: SourceTime): number {
  return readTime(readText(value), order);
}

/** Returns the time with the order of day, month and year that all dates of a list show. */
export function withOrder(time: SourceTime, dates: readonly unknown[]): SourceTime {
  const finder = createOrderFinder();
  for (const date of dates) finder.add(readText(date));
  const order = finder.decide();
  return order === undefined || order === 'unclear' || order === 'contradictory' ? time : { ...time, order };
}

/** Returns true for the times of several values that stand for whole days: midnights of different days. */
export function areDays(dates: readonly unknown[]): boolean {
  const texts = dates.map(readText);
  return texts.length > 1 && new Set(texts).size === texts.length && texts.every((it) => readMsOfDay(it) === 0);
}

/** Nobody sleeps longer. */
const sleepMaxMs = 16 * 3_600_000;

/** Returns the fact of a night. What states no interval, or one that is too long, is not read. */
export function toSleep(atMs: number, untilMs: number, id?: string): Item {
  const isNight = untilMs > atMs && untilMs - atMs <= sleepMaxMs;
  return isNight ? { kind: 'sleep', atMs, untilMs, ...(id && { id }) } : unread;
}

/** A value of a whole day. */
export const ofDay = { skipped: 'one value per day', as: 'day_summary' } as const;

/** Returns the start of the name of a device, which some apps send as an object. */
export function readDevice(value: unknown): string | undefined {
  const name = isObject(value) ? (value['name'] ?? value['device'] ?? value['deviceModel']) : value;
  const start = typeof name === 'string' ? name.slice(0, textMaxCharacters) : '';
  return start.trim() === '' ? undefined : start;
}

export function measure(field: Field, atMs: number, value: unknown, rest: Partial<Measurement> = {}): Item {
  const isValue = value === null || !['undefined', 'object'].includes(typeof value);
  if (!isValue) return { skipped: `${field} missing or not a number`, values: 0 };
  return { field, atMs, value: readQuantity(value, field), ...rest };
}

/** Returns the entry of a table for a name that a sender chose. Every object inherits names like `constructor`. */
export function findEntry<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Yields one skipped item per entry of parts that are not read. */
export function* skipUnread(parts: Fields, known: readonly string[]): Generator<Item> {
  for (const [name, value] of Object.entries(parts)) {
    if (known.includes(name)) continue;
    for (let count = Array.isArray(value) ? value.length : 0; count > 0; count -= 1) yield unread;
  }
}
