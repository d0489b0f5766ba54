import { enums, signals as contract } from '../../generated/spec.js';
import { type Account, createAccount, type Outcome, type Seen } from './account.js';
import { isContextWord, rankDevice, toDeviceLabel } from './devices.js';
import type { Fact, Inference, Item, Measurement, SkippedEntry } from './measurement.js';
import { countStated } from './history.js';
import { findPlaceholders } from './placeholders.js';
import { shown } from './names.js';
import { clampToContract, type Field, signals, type Submission } from './signals.js';

const minuteMs = 60_000;
/** Maximum number of intervals in a minute. More intervals are repeated data. */
const intervalsPerMinute = minuteMs / contract.rr_intervals_ms.minimum;
const beatsMax = contract.rr_intervals_ms.items_max;
/** Steps of a longer interval say nothing about a minute. */
const stepsIntervalMaxMs = 60 * minuteMs;
/** A longer fact has a wrong end. */
const factMaxMs = 24 * 60 * minuteMs;
/** Bounds memory if a hostile file names very many devices: of all files, and in a minute. */
const [sourcesMax, sharesMax] = [10_000, 8];
/** Bounds memory if a hostile file states very many facts. Ten years have about 10,000 workouts. */
const factsMax = 100_000;
/** Bounds the names of unknown fields, and the notes. */
const namesMax = 20;
const tooManyDevices = 'values of too many devices';
const earliestMs = Date.UTC(2000, 0, 1);
const aheadMaxMs = minuteMs;

type Values = Pick<Submission, Field | 'activity_level' | 'source_device'>;

/** One reading of a recording. */
export interface RecordedReading {
  /** Time of the last measurement in the reading, epoch ms. */
  readonly atMs: number;
  readonly values: Values;
  /** Number of measurements in the minute by field. */
  readonly counts: Counts;
}

type Counts = Partial<Record<Field, number>>;

type Averaged = Exclude<Field, 'rr_intervals_ms' | 'steps_last_minute'>;
const averaged = signals.filter((name): name is Averaged => name !== 'steps_last_minute');
const isOfHeart = (field: Averaged) => 'category' in contract[field] && contract[field].category === 'cardiovascular';

/** A device or app. */
interface Source {
  /** Undefined if the recording does not name the device. */
  readonly label: string | undefined;
  readonly rank: number;
}

/** What one device measured in a minute. */
export interface Share {
  readonly source: Source;
  /** Number of heart rates and beats. */
  count: number;
  /** Steps that the device counted. Undefined if it counted none. */
  steps: number | undefined;
  /** Number of intervals of steps that begin in the minute. */
  stepCount: number;
  readonly sums: Map<Field, { sum: number; count: number }>;
  readonly beats: { atMs: number; ms: number }[];
}

export interface Minute {
  lastMs: number;
  /** Number of values that begin in the minute. */
  count: number;
  /** Index of the strongest activity level. -1 if the recording states none. */
  activity: number;
  readonly shares: Share[];
}

/**
 * Collects the measurements of a recording per minute, in any order, and keeps the newest hours. Memory depends on the
 * hours and not on the size of the recording. Impossible values are skipped and counted.
 */
export class Minutes {
  readonly #minutes = new Map<number, Minute>();
  readonly #sources = new Map<string, Source>();
  #facts: Fact[] = [];
  readonly #skipped = new Map<string, number>();
  readonly #notes = new Set<string>();
  readonly #unknown = new Set<string>();
  readonly #account = createAccount();
  #seen = 0;
  readonly #hours: number;
  readonly #marksFacts: boolean;
  readonly #nowMs: number;
  readonly #keep: readonly Inference[];
  #newest = 0;

  /** `marksFacts`: minutes state what facts say of them. False if whoever scores the readings has the facts. */
  constructor({
    hours,
    nowMs,
    keep = [],
    marksFacts = true,
  }: {
    hours: number;
    nowMs: number;
    keep?: readonly Inference[] | undefined;
    marksFacts?: boolean;
  }) {
    this.#hours = hours;
    this.#marksFacts = marksFacts;
    this.#nowMs = nowMs;
    this.#keep = keep;
  }

  /** Adds a group of items of a file. */
  add(items: readonly Item[], file = ''): void {
    for (const item of items) {
      if ('field' in item) this.#add(item, file);
      else if ('kind' in item) this.#addFact(item);
      else if ('skipped' in item) this.#addSkipped(item);
      else if ('seen' in item) this.#addSeen(item);
      else if (this.#notes.size < namesMax) this.#notes.add(item.note);
    }
    if (this.#minutes.size > (this.#hours + 24) * 60) this.#prune();
  }

  /** Returns the facts of the newest hours, in the order in which they were added. Complete after the readings were listed. */
  get facts(): readonly Fact[] {
    return this.#facts;
  }

  /** Returns the numbers of skipped values by reason. */
  get skipped(): ReadonlyMap<string, number> {
    return this.#skipped;
  }

  /** Returns what the readers inferred. */
  get inferred(): string[] {
    return [...this.#notes];
  }

  /** Returns what the readers inferred, and the names of unknown fields. */
  get notes(): string[] {
    const names = [...this.#unknown].join(', ');
    return [...this.#notes, ...(names === '' ? [] : [`fields that are not read: ${names}`])];
  }

  /** Returns the outcomes of the values. Complete after the readings were listed. */
  get account(): Account {
    const { unknown_field: _, ...known } = this.#account;
    const rest = this.#seen - Object.values(known).reduce((sum, count) => sum + count, 0);
    return { ...known, unknown_field: Math.max(0, rest) };
  }

  /**
   * Returns the readings of the newest hours, oldest first. A minute without heart rate, variability and beats is left
   * out, because the service requires a signal. A minute with more than 64 beats becomes several readings.
   */
  readings(): RecordedReading[] {
    return [...this.inOrder()].flat();
  }

  /** Yields what `readings` returns, by minute. A minute that is left out is an empty list. */
  *inOrder(): Generator<readonly RecordedReading[]> {
    this.#prune();
    if (!this.#keep.includes('placeholder')) this.#dropPlaceholders();
    const findActivity = createActivityFinder(this.#marksFacts ? this.#facts : []);
    for (const key of Float64Array.from(this.#minutes.keys()).sort()) {
      const minute = this.#minutes.get(key);
      if (!minute) continue;
      minute.activity = Math.max(minute.activity, findActivity(key));
      const readings = listReadings(minute);
      if (readings.length === 0)
        this.#refuse('no heart rate, variability or beats in the same minute, e.g. steps alone', minute.count);
      else this.#settle(minute, readings);
      yield readings;
    }
  }

  /** Returns the label of a device or app. It is made once, because many values name the same one. */
  findLabel(name: string | undefined): string | undefined {
    return this.#findSource(name, '')?.label;
  }

  #problemOf(item: Measurement | Fact): string | undefined {
    const { atMs, untilMs = atMs } = item;
    if (!Number.isFinite(atMs) || !Number.isFinite(untilMs)) return 'time missing or not readable';
    if (atMs < earliestMs) return 'time before the year 2000';
    if (Math.max(atMs, untilMs) > this.#nowMs + aheadMaxMs) return 'time in the future';
    if (untilMs < atMs) return 'end before start';
    if ('kind' in item) return untilMs - atMs > factMaxMs ? 'a workout of more than a day' : undefined;
    if (untilMs - atMs > stepsIntervalMaxMs) return 'steps of more than an hour';
    const { field, value } = item;
    const { minimum, maximum } = contract[field];
    if (Number.isNaN(value)) return `${field} missing or not a number`;
    // The steps of an interval are bounded per minute.
    const perMinute = value / Math.max(1, (untilMs - atMs) / minuteMs);
    if (perMinute < minimum || perMinute > maximum) return `${field} outside ${minimum} to ${maximum}`;
    return undefined;
  }

  #add(item: Measurement, file: string): void {
    const problem = this.#problemOf(item);
    if (problem === undefined) this.#collect(item, file);
    else this.#refuse(problem);
  }

  /** Keeps a fact. Its minutes are marked at the end, because a hostile file may repeat a long one. */
  #addFact(fact: Fact): void {
    const problem = this.#problemOf(fact);
    if (problem !== undefined) return this.#skip(problem);
    this.#newest = Math.max(this.#newest, Math.floor((fact.untilMs ?? fact.atMs) / minuteMs));
    if (this.#facts.length < factsMax) this.#facts.push(fact);
    else this.#skip('too many workouts');
  }

  #addSkipped({ skipped, as = 'refused', values = 1 }: SkippedEntry): void {
    this.#skip(skipped);
    this.#account[as] += values;
  }

  #addSeen({ seen, context, unknown = [] }: Seen): void {
    this.#seen += seen;
    this.#account.context += context;
    for (const name of unknown) if (this.#unknown.size < namesMax) this.#unknown.add(shown(name));
  }

  #refuse(reason: string, count = 1, as: Outcome = 'refused'): void {
    this.#skip(reason, count);
    this.#account[as] += count;
  }

  /** Counts the values of a minute: those in its readings, and those of other devices. */
  #settle({ count }: Minute, readings: readonly RecordedReading[]): void {
    let left = count;
    for (const { values, counts } of readings) {
      const { used, merged } = countStated(values, counts);
      this.#account.used += used;
      this.#account.merged += merged;
      left -= used + merged;
    }
    this.#refuse('another device measured the same minute', left);
  }

  #dropPlaceholders(): void {
    for (const { value, share, minute, note } of findPlaceholders(this.#minutes)) {
      const { count = 0 } = share.sums.get('heart_rate') ?? {};
      share.sums.delete('heart_rate');
      share.count -= count;
      minute.count -= count;
      this.#refuse(`${value} bpm where the device began to measure, which is a placeholder`, count, 'placeholder');
      this.#notes.add(note);
    }
  }

  #collect(measurement: Measurement, file: string): void {
    const { field, atMs, value, isRate = false, activity } = measurement;
    const source = this.#findSource(measurement.source, file);
    if (!source) return this.#refuse(tooManyDevices);
    if (field === 'steps_last_minute' && !isRate) return this.#collectSteps(measurement, source);
    const minute = this.#minuteAt(atMs);
    if (!minute) return this.#refuse(this.#tooOld());
    minute.lastMs = Math.max(minute.lastMs, atMs);
    if (activity) minute.activity = Math.max(minute.activity, enums.ActivityLevel.indexOf(activity));
    const share = findShare(minute, source);
    const isBeat = field === 'rr_intervals_ms';
    if (!share) return this.#refuse(tooManyDevices);
    if (isBeat && share.beats.length >= intervalsPerMinute) return this.#refuse('more beats than fit into a minute');
    minute.count += 1;
    if (field === 'heart_rate' || isBeat) share.count += 1;
    if (isBeat) share.beats.push({ atMs, ms: Math.round(value) });
    else {
      // Changed in place, because a new object per value is garbage that outlives the young generation.
      const total = share.sums.get(field);
      if (total) {
        total.sum += value;
        total.count += 1;
      } else share.sums.set(field, { sum: value, count: 1 });
    }
  }

  #findSource(name: string | undefined, file: string): Source | undefined {
    // Two files may be of two devices of one name, or of no name.
    const device = name === undefined || isContextWord(name) ? '' : name;
    const key = `${file}\0${device}`;
    const known = this.#sources.get(key);
    if (known || this.#sources.size >= sourcesMax) return known;
    const source = { label: toDeviceLabel(device), rank: rankDevice(device) };
    this.#sources.set(key, source);
    return source;
  }

  /** Distributes the steps of an interval evenly over its minutes. */
  #collectSteps({ atMs, untilMs = atMs, value }: Measurement, source: Source): void {
    const duration = Math.max(1, untilMs - atMs);
    for (let from = atMs; from < atMs + duration;) {
      const to = Math.min(atMs + duration, (Math.floor(from / minuteMs) + 1) * minuteMs);
      const minute = this.#minuteAt(from);
      const share = minute && findShare(minute, source);
      if (share) share.steps = (share.steps ?? 0) + (value * (to - from)) / duration;
      // The value counts once, in its first minute.
      if (from === atMs && !share) this.#refuse(minute ? tooManyDevices : this.#tooOld());
      else if (from === atMs && share) {
        minute.count += 1;
        share.stepCount += 1;
      }
      from = to;
    }
  }

  /** Returns the minute of a time. Undefined if it is older than the newest hours. */
  #minuteAt(atMs: number): Minute | undefined {
    const key = Math.floor(atMs / minuteMs);
    this.#newest = Math.max(this.#newest, key);
    if (key <= this.#newest - this.#hours * 60) return undefined;
    const minute = this.#minutes.get(key) ?? { lastMs: 0, count: 0, activity: -1, shares: [] };
    this.#minutes.set(key, minute);
    return minute;
  }

  #prune(): void {
    const isOld = (key: number) => key <= this.#newest - this.#hours * 60;
    for (const [key, { count }] of this.#minutes) {
      if (!isOld(key)) continue;
      this.#refuse(this.#tooOld(), count);
      this.#minutes.delete(key);
    }
    const kept = this.#facts.filter(({ atMs, untilMs = atMs }) => !isOld(Math.floor(untilMs / minuteMs)));
    this.#skip(this.#tooOld(), this.#facts.length - kept.length);
    this.#facts = kept;
  }

  #tooOld(): string {
    return `older than the newest ${this.#hours} hours (see --hours)`;
  }

  #skip(reason: string, count = 1): void {
    if (count > 0) this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + count);
  }
}

/**
 * Returns a function that returns the index of the strongest activity level that facts state of a minute, -1 if there is none.
 * Its calls must be in the order of the minutes.
 */
function createActivityFinder(facts: readonly Fact[]): (key: number) => number {
  const ordered = facts
    .filter(({ kind }) => ['exercise', 'rest', 'sleep'].includes(kind))
    .sort((a, b) => a.atMs - b.atMs);
  /** The last minute of the facts that have begun, by level. */
  const untilKeys = enums.ActivityLevel.map(() => -1);
  let next = 0;
  return (key) => {
    for (let it = ordered[next]; it && Math.floor(it.atMs / minuteMs) <= key; it = ordered[(next += 1)]) {
      const level = enums.ActivityLevel.indexOf(it.kind === 'exercise' ? (it.level ?? 'vigorous') : 'resting');
      untilKeys[level] = Math.max(untilKeys[level] ?? -1, Math.floor((it.untilMs ?? it.atMs) / minuteMs));
    }
    return untilKeys.findLastIndex((until) => until >= key);
  };
}

/** Returns what a device measured in a minute. Undefined if the minute has too many devices. */
function findShare({ shares }: Minute, source: Source): Share | undefined {
  const known = shares.find((it) => it.source === source);
  if (!known && shares.length < sharesMax)
    shares.push({ source, count: 0, steps: undefined, stepCount: 0, sums: new Map(), beats: [] });
  return known ?? shares.find((it) => it.source === source);
}

/**
 * Returns the readings of a minute. Heart data are those of one device: the one with heart rates or beats, of these the most
 * accurate kind, then the one with more of them. A mean over devices would be the heart rate of nobody.
 */
function listReadings({ lastMs, activity, shares }: Minute): RecordedReading[] {
  const ordered = [...shares].sort(
    (a, b) => Math.min(1, b.count) - Math.min(1, a.count) || a.source.rank - b.source.rank || b.count - a.count,
  );
  const [label] = ordered.map(({ source }) => source.label);
  // Two files of one device may have one kind of value each.
  const chosen = ordered.filter(({ source }) => source.label === label);
  const context: Values = {};
  if (label) context.source_device = label;
  const level = enums.ActivityLevel[activity];
  if (level) context.activity_level = level;
  const values: Values = {};
  const counts: Counts = {};
  for (const field of averaged) {
    const share = (isOfHeart(field) ? chosen : ordered).find(({ sums }) => sums.has(field));
    const mean = meanOf(share, field);
    if (mean === undefined) continue;
    values[field] = clampToContract(field, Math.round(mean * 10) / 10);
    counts[field] = share?.sums.get(field)?.count ?? 0;
  }
  const hasSignal = averaged.some((name) => contract[name].use === 'evidence' && values[name] !== undefined);
  // Two devices count the same steps, so the larger count is used and not the sum.
  const most = Math.max(...shares.flatMap((it) => stepsOf(it) ?? []));
  if (most >= 0) context.steps_last_minute = clampToContract('steps_last_minute', most);
  const counted = shares.find((it) => stepsOf(it) === most);
  counts.steps_last_minute = (counted?.stepCount ?? 0) + (counted?.sums.get('steps_last_minute')?.count ?? 0);
  const beats = chosen.find((it) => it.beats.length > 0)?.beats ?? [];
  if (beats.length === 0) return hasSignal ? [{ atMs: lastMs, values: { ...values, ...context }, counts }] : [];
  counts.rr_intervals_ms = beats.length;
  const parts = Array.from({ length: Math.ceil(beats.length / beatsMax) }, (_, index) =>
    beats.slice(index * beatsMax, (index + 1) * beatsMax),
  );
  return parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    const rr_intervals_ms = part.map(({ ms }) => ms);
    const atMs = isLast ? lastMs : (part.at(-1)?.atMs ?? lastMs);
    return {
      atMs,
      values: { ...(isLast && values), rr_intervals_ms, ...context },
      counts: isLast ? counts : { rr_intervals_ms: beats.length },
    };
  });
}

function stepsOf(share: Share): number | undefined {
  return share.steps ?? meanOf(share, 'steps_last_minute');
}

function meanOf(share: Share | undefined, field: Field): number | undefined {
  const total = share?.sums.get(field);
  return total && total.sum / total.count;
}
