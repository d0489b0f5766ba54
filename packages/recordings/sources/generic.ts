import { type Item, type Measurement } from '../measurement.js';
import type { Field } from '../signals.js';
import { activityLevels } from '../sports.js';
import {
  type Fields,
  findEntry,
  isObject,
  measure,
  unread,
  readAt,
  readDevice,
  readText,
  type Source,
  SourceFormError,
  type SourceTime,
} from './source.js';

/** Names of fields in lower case, without separators. */
const names: Readonly<Record<string, Field>> = {
  ...{ heartrate: 'heart_rate', hr: 'heart_rate', bpm: 'heart_rate', pulse: 'heart_rate' },
  ...{ heartratebpm: 'heart_rate', sdnn: 'sdnn', hrvsdnn: 'sdnn', sdnnms: 'sdnn', rmssd: 'rmssd', hrvrmssd: 'rmssd' },
  ...{ rmssdms: 'rmssd', rrintervalsms: 'rr_intervals_ms', rrintervals: 'rr_intervals_ms', rr: 'rr_intervals_ms' },
  ...{ respiratoryrate: 'respiratory_rate', steps: 'steps_last_minute', stepslastminute: 'steps_last_minute' },
};
const times = ['time', 'timestamp', 'date', 'datetime', 'at'];
const devices = ['device', 'sourcedevice', 'source'];
const context = [...times, ...devices, 'activitylevel'];

/** Flat objects of a sender that somebody sets up: Tasker, Connect IQ, Home Assistant, an own app. */
export const generic: Source = {
  name: 'Other apps',
  reads: 'heart rate, SDNN, RMSSD, intervals between beats, respiratory rate, steps and activity level',
  *read(body, time) {
    const entries = Array.isArray(body) ? body : [body];
    let hasField = false;
    for (const entry of entries) {
      const fields = isObject(entry) ? Object.keys(entry) : [];
      if (fields.length === 0) yield unread;
      if (!isObject(entry)) continue;
      const known = yield* collectKnown(entry, fields);
      hasField ||= Object.keys(known).some((name) => findEntry(names, name));
      yield* readEntry(known, time);
    }
    if (entries.length > 0 && !hasField) throw new SourceFormError('no object with a known field');
  },
};

/** Returns the known fields by their folded names. Yields the other ones, because an object may have many. */
function* collectKnown(entry: Fields, fields: readonly string[]): Generator<Item, Fields> {
  const known: Record<string, unknown> = {};
  for (const name of fields) {
    const folded = fold(name);
    if (findEntry(names, folded) || context.includes(folded)) known[folded] = entry[name];
    else yield unread;
  }
  return known;
}

function* readEntry(known: Fields, time: SourceTime): Generator<Item> {
  const sent = times.map((name) => known[name]).find((value) => value !== undefined);
  // A watch without a clock sends what it measures now.
  const atMs = sent === undefined ? time.nowMs : readAt(sent, time);
  const source = devices.map((name) => readDevice(known[name])).find((name) => name !== undefined);
  const activity = activityLevels.find((level) => level === known['activitylevel']);
  const rest: Partial<Measurement> = { source, activity };
  for (const [name, value] of Object.entries(known)) {
    const field = findEntry(names, name);
    if (field === 'rr_intervals_ms') for (const ms of [value].flat()) yield measure(field, atMs, ms, rest);
    else if (field === 'steps_last_minute') yield measure(field, atMs, value, { ...rest, isRate: true });
    else if (field) yield measure(field, atMs, value, rest);
  }
}

function fold(name: string): string {
  return readText(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
