import { isContextName } from '../account.js';
import { timeColumns } from '../csv-columns.js';
import { type Item, type Measurement } from '../measurement.js';
import type { Field } from '../signals.js';
import { describeNames, shown } from '../names.js';
import { activityLevels } from '../sports.js';
import { isDateAlone, isTime, readTime } from '../times.js';
import {
  areDays,
  type Fields,
  findEntry,
  isObject,
  measure,
  ofDay,
  unread,
  readAt,
  readDevice,
  readNumber,
  readText,
  type Source,
  SourceFormError,
  type SourceTime,
  withOrder,
} from './source.js';

/** Names of fields in lower case, without separators. */
const names: Readonly<Record<string, Field>> = {
  ...{ heartrate: 'heart_rate', hr: 'heart_rate', bpm: 'heart_rate', pulse: 'heart_rate' },
  ...{ heartratebpm: 'heart_rate', sdnn: 'sdnn', hrvsdnn: 'sdnn', sdnnms: 'sdnn', rmssd: 'rmssd', hrvrmssd: 'rmssd' },
  ...{ rmssdms: 'rmssd', rrintervalsms: 'rr_intervals_ms', rrintervals: 'rr_intervals_ms', rr: 'rr_intervals_ms' },
  ...{ respiratoryrate: 'respiratory_rate', steps: 'steps_last_minute', stepslastminute: 'steps_last_minute' },
};
/** Names of times in the same form, the likeliest first. */
const times = ['time', 'timestamp', 'date', 'datetime', 'at', ...timeColumns.map(fold), 'lastchanged', 'lastupdated'];
/** Names that a time has, although its value is none. */
const timeName =
  /(^|[^a-z])(time|date|ts|epoch|when|moment|stamp|zeit|fecha|heure|hora)|(^|_)(updated|created|recorded|measured|changed|sampled|captured|logged|observed|taken|received|sent)(_|$)|timestamp|datetime|_at$|last_?(changed|updated)/i;
const joinedTimeName = /[a-z](Time|Date|Stamp|At)$/;
const notTimeName = /zone|duration|offset|interval|uptime|elapsed|_in_/i;
const devices = ['device', 'sourcedevice', 'source'];
/** Objects inside of objects in which a time is looked for. */
const depthMax = 3;
/** Values of a list in which a time is looked for. */
const listMax = 4;

/** Flat objects of a sender that somebody sets up: Tasker, Connect IQ, Home Assistant, an own app. */
export const generic: Source = {
  name: 'Other apps',
  reads: 'heart rate, SDNN, RMSSD, intervals between beats, respiratory rate, steps and activity level',
  *read(body, time) {
    const entries = Array.isArray(body) ? body : [body];
    if (entries.length > 0 && !entries.some(hasKnownField)) throw new SourceFormError('no object with a known field');
    const filled = entries.filter(isFilled);
    const found = new Map(filled.map((entry) => [entry, findTime(entry)]));
    const sent = filled.map((entry) => found.get(entry)?.value);
    const zoned = withOrder(time, sent);
    const isDaily = areDays(sent);
    for (const entry of entries) {
      if (!isFilled(entry)) yield unread;
      else yield* readEntry(entry, found.get(entry) ?? {}, zoned, isDaily);
    }
  },
};

function isFilled(entry: unknown): entry is Fields {
  return isObject(entry) && Object.keys(entry).length > 0;
}

/** Returns true for an object that states a signal. */
export function hasKnownField(entry: unknown): boolean {
  return isObject(entry) && Object.keys(entry).some((name) => findField(name) !== undefined);
}

function findField(name: string): Field | undefined {
  return findEntry(names, fold(name));
}

interface FoundTime {
  /** Undefined for a sample of now. */
  readonly value?: unknown;
  readonly note?: string;
  /** True for a value whose name does not show that it is a time. */
  readonly isUnnamed?: boolean;
  /** Name of the field of the sample that has it. */
  readonly top?: string;
}

/**
 * Finds the time of a sample: that of a known name, or else the only value that is a time. Without one, the sample is of now,
 * unless a name says that there is a time.
 */
function findTime(entry: Fields): FoundTime {
  const byName = new Map<string, unknown>();
  for (const [name, value] of Object.entries(entry)) byName.set(fold(name), value);
  const [date, clock] = [readText(byName.get('date')), readText(byName.get('time'))];
  if (clock && isDateAlone(date) && /^\d\d?:\d\d/.test(clock)) return { value: `${date} ${clock}` };
  const name = times.find((it) => byName.has(it));
  const known = name === undefined ? undefined : readText(byName.get(name));
  if (known !== undefined && (known === '' ? !Array.isArray(byName.get(name ?? '')) : isTime(known)))
    return { value: known };
  return findByContent([...listLeaves(entry)], name);
}

/** Finds the time by its value. `known` is the name of a time whose value is none. */
function findByContent(leaves: readonly Leaf[], known: string | undefined): FoundTime {
  const found = leaves.filter(({ name, value }) => isTime(readText(value)) && !findField(name));
  const folded = found.map(({ name }) => fold(name));
  const inside = found[times.map((name) => folded.indexOf(name)).find((at) => at >= 0) ?? -1];
  const one = inside ?? found[0];
  const isSame = ({ value }: Leaf) => readTime(readText(value)) === readTime(readText(one?.value));
  if (one && (inside || found.every(isSame))) {
    const { name, value, top } = one;
    return { value, note: `time: the field ${shown(name)}`, isUnnamed: !isContextName(name), top };
  }
  const names = describeNames(found.map(({ name }) => name));
  if (one) return { value: '', note: `several fields may be the time: ${names}` };
  const unclear = (leaves.find(({ name }) => fold(name) === known) ?? leaves.find(isTimeName))?.name;
  return unclear === undefined ? {} : { value: '', note: `the field ${shown(unclear)} is not a time that is read` };
}

interface Leaf {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
  readonly top: string;
}

function isTimeName({ name, value }: Leaf): boolean {
  const isNamed = timeName.test(name) || joinedTimeName.test(name);
  return isNamed && !notTimeName.test(name) && typeof value !== 'boolean' && !findField(name);
}

function* listLeaves(entry: Fields, depth = 0, above?: string): Generator<Leaf> {
  for (const [name, value] of Object.entries(entry)) {
    const top = above ?? name;
    if (isObject(value) && depth < depthMax) yield* listLeaves(value, depth + 1, top);
    else if (Array.isArray(value)) for (const it of value.slice(0, listMax)) yield { name, value: it, depth, top };
    else yield { name, value, depth, top };
  }
}

function* readEntry(entry: Fields, found: FoundTime, time: SourceTime, isDaily: boolean): Generator<Item> {
  const byName = new Map(Object.entries(entry).map(([name, value]) => [fold(name), value]));
  // A watch without a clock sends what it measures now.
  const atMs = found.value === undefined ? time.nowMs : readAt(found.value, time);
  if (found.note) yield { note: found.note };
  if (found.isUnnamed) yield { seen: 0, context: 1 };
  const source = devices.map((name) => readDevice(byName.get(name))).find((name) => name !== undefined);
  const activity = activityLevels.find((level) => level === byName.get('activitylevel'));
  const rest: Partial<Measurement> = { source, activity };
  const isDoubted = [...byName].some(([name, value]) => name.endsWith('confidence') && readNumber(value) === 0);
  for (const [name, value] of Object.entries(entry)) {
    const field = findField(name);
    if (!field) {
      if (!isContextName(name) && !times.includes(fold(name)) && name !== found.top) yield unread;
    } else if (isDaily) yield ofDay;
    else if (isDoubted && field !== 'steps_last_minute')
      yield { skipped: `${field} with confidence 0`, as: 'placeholder' };
    else if (field === 'rr_intervals_ms') for (const ms of [value].flat()) yield measure(field, atMs, ms, rest);
    else yield measure(field, atMs, value, { ...rest, isRate: field === 'steps_last_minute' });
  }
}

function fold(name: string): string {
  return readText(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
