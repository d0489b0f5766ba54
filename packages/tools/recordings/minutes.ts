import { signals as contract } from '../../../generated/spec.js';
import type { Submission } from '../../client/src/index.js';
import type { Field } from './field-map.js';
import type { Item, Measurement } from './measurement.js';
import { clampToContract, signals } from './recorded-window.js';

const minuteMs = 60_000;
/** Maximum number of intervals in a minute. More intervals are repeated data. */
const intervalsPerMinute = minuteMs / contract.rr_intervals_ms.minimum;
/** Steps of a longer interval say nothing about a minute. */
const stepsIntervalMaxMs = 60 * minuteMs;
/** Bounds memory if a hostile file names very many sources. */
const sourcesMax = 64;
const earliestMs = Date.UTC(2000, 0, 1);
const aheadMaxMs = minuteMs;

type Values = Pick<Submission, Field>;

/** One reading of a recording. */
export interface RecordedReading {
  /** Time of the last measurement in the reading, epoch ms. */
  readonly atMs: number;
  readonly values: Values;
}

type Averaged = Exclude<Field, 'rr_intervals_ms' | 'steps_last_minute'>;
const averaged = signals.filter((name): name is Averaged => name !== 'steps_last_minute');

interface Minute {
  lastMs: number;
  count: number;
  readonly sums: Map<Averaged, { sum: number; count: number }>;
  /** Steps per source. */
  readonly steps: Map<number, number>;
  readonly beats: { atMs: number; ms: number }[];
}

/**
 * Collects the measurements of a recording per minute, in any order, and keeps the newest hours. Memory depends on the
 * hours and not on the size of the recording. Impossible values are skipped and counted.
 */
export class Minutes {
  readonly #minutes = new Map<number, Minute>();
  readonly #sources = new Map<string, number>();
  readonly #skipped = new Map<string, number>();
  readonly #hours: number;
  readonly #nowMs: number;
  #newest = 0;

  constructor({ hours, nowMs }: { hours: number; nowMs: number }) {
    this.#hours = hours;
    this.#nowMs = nowMs;
  }

  /** Adds a group of items. */
  add(items: readonly Item[]): void {
    for (const item of items) {
      const reason = 'skipped' in item ? item.skipped : this.#problemOf(item);
      if (reason !== undefined) this.#skip(reason);
      else if ('field' in item) this.#collect(item);
    }
    if (this.#minutes.size > (this.#hours + 24) * 60) this.#prune();
  }

  /** Returns the numbers of skipped values by reason. */
  get skipped(): ReadonlyMap<string, number> {
    return this.#skipped;
  }

  /**
   * Returns the readings of the newest hours, oldest first. A minute without heart rate, variability and beats is left
   * out, because the service requires a signal. A minute with more than 64 beats becomes several readings.
   */
  readings(): RecordedReading[] {
    this.#prune();
    const ordered = [...this.#minutes].sort(([a], [b]) => a - b);
    return ordered.flatMap(([, minute]) => {
      const readings = listReadings(minute);
      if (readings.length === 0) this.#skip('in a minute without heart rate, variability or beats', minute.count);
      return readings;
    });
  }

  #problemOf({ field, atMs, untilMs = atMs, value }: Measurement): string | undefined {
    if (!Number.isFinite(atMs) || !Number.isFinite(untilMs)) return 'time missing or not readable';
    if (atMs < earliestMs) return 'time before the year 2000';
    if (Math.max(atMs, untilMs) > this.#nowMs + aheadMaxMs) return 'time in the future';
    if (untilMs < atMs) return 'end before start';
    if (untilMs - atMs > stepsIntervalMaxMs) return 'steps of more than an hour';
    const { minimum, maximum } = contract[field];
    if (Number.isNaN(value)) return `${field} missing or not a number`;
    // The steps of an interval are bounded per minute.
    const perMinute = value / Math.max(1, (untilMs - atMs) / minuteMs);
    if (perMinute < minimum || perMinute > maximum) return `${field} outside ${minimum} to ${maximum}`;
    return undefined;
  }

  #collect(measurement: Measurement): void {
    const { field, atMs, untilMs = atMs, value } = measurement;
    if (field === 'steps_last_minute') return this.#collectSteps(measurement, untilMs);
    const minute = this.#minuteAt(atMs);
    if (!minute) return;
    minute.count += 1;
    minute.lastMs = Math.max(minute.lastMs, atMs);
    if (field === 'rr_intervals_ms') {
      if (minute.beats.length < intervalsPerMinute) minute.beats.push({ atMs, ms: Math.round(value) });
      else this.#skip('more beats than fit into a minute');
    } else {
      // Changed in place, because a new object per value is garbage that outlives the young generation.
      const total = minute.sums.get(field);
      if (total) {
        total.sum += value;
        total.count += 1;
      } else minute.sums.set(field, { sum: value, count: 1 });
    }
  }

  /** Distributes the steps of an interval evenly over its minutes. */
  #collectSteps({ atMs, value, source = '' }: Measurement, untilMs: number): void {
    const known = this.#sources.get(source) ?? (this.#sources.size < sourcesMax ? this.#sources.size : undefined);
    if (known === undefined) return this.#skip('steps of too many sources');
    this.#sources.set(source, known);
    const duration = Math.max(1, untilMs - atMs);
    for (let from = atMs; from < atMs + duration;) {
      const to = Math.min(atMs + duration, (Math.floor(from / minuteMs) + 1) * minuteMs);
      const minute = this.#minuteAt(from);
      if (minute) {
        minute.count += 1;
        minute.steps.set(known, (minute.steps.get(known) ?? 0) + (value * (to - from)) / duration);
      }
      from = to;
    }
  }

  /** Returns the minute of a time, or counts a skipped value if the minute is older than the newest hours. */
  #minuteAt(atMs: number): Minute | undefined {
    const key = Math.floor(atMs / minuteMs);
    this.#newest = Math.max(this.#newest, key);
    if (key <= this.#newest - this.#hours * 60) {
      this.#skip(this.#tooOld());
      return undefined;
    }
    const minute = this.#minutes.get(key) ?? { lastMs: 0, count: 0, sums: new Map(), steps: new Map(), beats: [] };
    this.#minutes.set(key, minute);
    return minute;
  }

  #prune(): void {
    for (const [key, { count }] of this.#minutes) {
      if (key > this.#newest - this.#hours * 60) continue;
      this.#skip(this.#tooOld(), count);
      this.#minutes.delete(key);
    }
  }

  #tooOld(): string {
    return `older than the newest ${this.#hours} hours (see --hours)`;
  }

  #skip(reason: string, count = 1): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + count);
  }
}

function listReadings({ lastMs, sums, steps, beats }: Minute): RecordedReading[] {
  const values: Values = {};
  for (const field of averaged) {
    const total = sums.get(field);
    if (total) values[field] = clampToContract(field, Math.round((total.sum / total.count) * 10) / 10);
  }
  // Two devices count the same steps, so the larger count is used and not the sum.
  if (steps.size > 0) {
    const most = Math.round(Math.max(...steps.values()));
    values.steps_last_minute = Math.min(most, contract.steps_last_minute.maximum);
  }
  const hasSignal = averaged.some((name) => contract[name].use === 'evidence' && sums.has(name));
  if (beats.length === 0) return hasSignal ? [{ atMs: lastMs, values }] : [];
  const readings: { atMs: number; values: Values }[] = [];
  for (let from = 0; from < beats.length; from += contract.rr_intervals_ms.items_max) {
    const part = beats.slice(from, from + contract.rr_intervals_ms.items_max);
    readings.push({ atMs: part.at(-1)?.atMs ?? lastMs, values: { rr_intervals_ms: part.map(({ ms }) => ms) } });
  }
  const last = readings.at(-1);
  if (last) Object.assign(last, { atMs: lastMs, values: { ...values, ...last.values } });
  return readings;
}
