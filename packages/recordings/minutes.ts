import { enums, signals as contract } from '../../generated/spec.js';
import { rankDevice, toDeviceLabel } from './devices.js';
import type { Fact, Item, Measurement } from './measurement.js';
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
interface Share {
  readonly source: Source;
  /** Number of heart rates and beats. */
  count: number;
  /** Steps that the device counted. Undefined if it counted none. */
  steps: number | undefined;
  readonly sums: Map<Field, { sum: number; count: number }>;
  readonly beats: { atMs: number; ms: number }[];
}

interface Minute {
  lastMs: number;
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
  readonly #facts: Fact[] = [];
  readonly #skipped = new Map<string, number>();
  readonly #hours: number;
  readonly #nowMs: number;
  #newest = 0;

  constructor({ hours, nowMs }: { hours: number; nowMs: number }) {
    this.#hours = hours;
    this.#nowMs = nowMs;
  }

  /** Adds a group of items of a file. */
  add(items: readonly Item[], file = ''): void {
    for (const item of items) {
      const reason = 'skipped' in item ? item.skipped : this.#problemOf(item);
      if (reason !== undefined) this.#skip(reason);
      else if ('kind' in item) this.#keep(item);
      else if ('field' in item) this.#collect(item, file);
    }
    if (this.#minutes.size > (this.#hours + 24) * 60) this.#prune();
  }

  /** Returns the facts of the recordings, in the order in which they were added. */
  get facts(): readonly Fact[] {
    return this.#facts;
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
    return [...this.inOrder()].flat();
  }

  /** Yields what `readings` returns, by minute. A minute that is left out is an empty list. */
  *inOrder(): Generator<readonly RecordedReading[]> {
    this.#prune();
    const findActivity = createActivityFinder(this.#facts);
    for (const key of Float64Array.from(this.#minutes.keys()).sort()) {
      const minute = this.#minutes.get(key);
      if (!minute) continue;
      minute.activity = Math.max(minute.activity, findActivity(key));
      const readings = listReadings(minute);
      if (readings.length === 0)
        this.#skip('no heart rate, variability or beats in the same minute, e.g. steps alone', minute.count);
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

  /** Keeps a fact. Its minutes are marked at the end, because a hostile file may repeat a long one. */
  #keep(fact: Fact): void {
    this.#newest = Math.max(this.#newest, Math.floor((fact.untilMs ?? fact.atMs) / minuteMs));
    if (this.#facts.length < factsMax) this.#facts.push(fact);
    else this.#skip('too many workouts');
  }

  #collect(measurement: Measurement, file: string): void {
    const { field, atMs, value, isRate = false, activity } = measurement;
    const source = this.#findSource(measurement.source, file);
    if (!source) return this.#skip('values of too many devices');
    if (field === 'steps_last_minute' && !isRate) return this.#collectSteps(measurement, source);
    const minute = this.#minuteAt(atMs);
    if (!minute) return;
    minute.lastMs = Math.max(minute.lastMs, atMs);
    if (activity) minute.activity = Math.max(minute.activity, enums.ActivityLevel.indexOf(activity));
    const share = findShare(minute, source);
    if (!share) return this.#skip('values of too many devices');
    if (field === 'heart_rate' || field === 'rr_intervals_ms') share.count += 1;
    if (field === 'rr_intervals_ms') {
      if (share.beats.length < intervalsPerMinute) share.beats.push({ atMs, ms: Math.round(value) });
      else this.#skip('more beats than fit into a minute');
    } else {
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
    const key = `${file}\0${name ?? ''}`;
    const known = this.#sources.get(key);
    if (known || this.#sources.size >= sourcesMax) return known;
    const source = { label: toDeviceLabel(name ?? ''), rank: rankDevice(name ?? '') };
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
      from = to;
    }
  }

  /**
   * Returns the minute of a time and adds to its number of values, or counts a skipped value if the minute is older than the
   * newest hours.
   */
  #minuteAt(atMs: number): Minute | undefined {
    const key = Math.floor(atMs / minuteMs);
    this.#newest = Math.max(this.#newest, key);
    if (key <= this.#newest - this.#hours * 60) {
      this.#skip(this.#tooOld());
      return undefined;
    }
    const minute = this.#minutes.get(key) ?? { lastMs: 0, count: 0, activity: -1, shares: [] };
    minute.count += 1;
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
    if (count > 0) this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + count);
  }
}

/**
 * Returns a function that returns the index of the strongest activity level of the exercises in a minute, -1 if there is none.
 * Its calls must be in the order of the minutes.
 */
function createActivityFinder(facts: readonly Fact[]): (key: number) => number {
  const ordered = facts.filter(({ kind }) => kind === 'exercise').sort((a, b) => a.atMs - b.atMs);
  /** The last minute of the workouts that have begun, by level. */
  const untilKeys = enums.ActivityLevel.map(() => -1);
  let next = 0;
  return (key) => {
    for (let it = ordered[next]; it && Math.floor(it.atMs / minuteMs) <= key; it = ordered[(next += 1)]) {
      const level = enums.ActivityLevel.indexOf(it.level ?? 'vigorous');
      untilKeys[level] = Math.max(untilKeys[level] ?? -1, Math.floor((it.untilMs ?? it.atMs) / minuteMs));
    }
    return untilKeys.findLastIndex((until) => until >= key);
  };
}

/** Returns what a device measured in a minute. Undefined if the minute has too many devices. */
function findShare({ shares }: Minute, source: Source): Share | undefined {
  const known = shares.find((it) => it.source === source);
  if (!known && shares.length < sharesMax)
    shares.push({ source, count: 0, steps: undefined, sums: new Map(), beats: [] });
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
  const most = Math.max(...shares.flatMap((it) => it.steps ?? meanOf(it, 'steps_last_minute') ?? []));
  if (most >= 0) context.steps_last_minute = clampToContract('steps_last_minute', most);
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
    return { atMs, values: { ...(isLast && values), rr_intervals_ms, ...context }, counts };
  });
}

function meanOf(share: Share | undefined, field: Field): number | undefined {
  const total = share?.sums.get(field);
  return total && total.sum / total.count;
}
