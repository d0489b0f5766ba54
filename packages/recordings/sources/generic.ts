import { type Item, type Measurement } from '../measurement.js';
import type { Field } from '../signals.js';
import { activityLevels } from '../sports.js';
import {
  type Fields,
  findEntry,
  isObject,
  measure,
  notRead,
  readAt,
  readDevice,
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

/** Flat objects of a sender that somebody sets up: Tasker, Connect IQ, Home Assistant, an own app. */
export const generic: Source = {
  name: 'Other apps',
  reads: 'heart rate, SDNN, RMSSD, intervals between beats, respiratory rate, steps and activity level',
  *read(body, time) {
    const entries = Array.isArray(body) ? body : [body];
    const isKnown = (entry: unknown) =>
      isObject(entry) && Object.keys(entry).some((name) => findEntry(names, fold(name)));
    if (entries.length > 0 && !entries.some(isKnown)) throw new SourceFormError('no object with a known field');
    for (const entry of entries) {
      if (isObject(entry)) yield* readEntry(entry, time);
      else yield { skipped: notRead };
    }
  },
};

function* readEntry(entry: Fields, time: SourceTime): Generator<Item> {
  const folded = Object.fromEntries(Object.entries(entry).map(([name, value]) => [fold(name), value]));
  const sent = times.map((name) => folded[name]).find((value) => value !== undefined);
  // A watch without a clock sends what it measures now.
  const atMs = sent === undefined ? time.nowMs : readAt(sent, time);
  const source = devices.map((name) => readDevice(folded[name])).find((name) => name !== undefined);
  const activity = activityLevels.find((level) => level === folded['activitylevel']);
  const rest: Partial<Measurement> = { source, activity };
  for (const [name, value] of Object.entries(folded)) {
    const field = findEntry(names, name);
    if (field === 'rr_intervals_ms') for (const ms of [value].flat()) yield measure(field, atMs, ms, rest);
    else if (field === 'steps_last_minute') yield measure(field, atMs, value, { ...rest, isRate: true });
    else if (field) yield measure(field, atMs, value, rest);
    else if (![...times, ...devices, 'activitylevel'].includes(name)) yield { skipped: notRead };
  }
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
