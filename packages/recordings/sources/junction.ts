import type { Item } from '../measurement.js';
import type { Field } from '../signals.js';
import { toExercise } from '../sports.js';
import { svix } from './signatures.js';
import { type Fields, type Hub, isObject, measure, unread, readAt, readList, readPart, readText } from './source.js';
import { findEntry, skipUnread, SourceFormError, type SourceTime } from './source.js';

const resources: Readonly<Record<string, Field>> = {
  heartrate: 'heart_rate',
  hrv: 'rmssd',
  respiratory_rate: 'respiratory_rate',
  steps: 'steps_last_minute',
};

/** Webhooks of Junction (formerly Vital): series of samples, and workouts. Notices of earlier data contain none. */
export const junction: Hub = {
  name: 'Junction',
  reads: 'heart rate, heart rate variability, respiratory rate, steps and workouts',
  signature: svix,
  readPerson: (event) => (isObject(event) ? event['client_user_id'] : undefined),
  *read(event, time) {
    if (!isObject(event) || typeof event['event_type'] !== 'string') throw new SourceFormError('no `event_type`');
    const [, resource = ''] = /^daily\.data\.(\w+)\.(?:created|updated)$/.exec(readText(event['event_type'])) ?? [];
    const data = readPart(event, 'data');
    const source = describeSource(readPart(data, 'source'));
    const field = resource === 'hrv' && source.startsWith('apple') ? 'sdnn' : findEntry(resources, resource);
    if (resource === 'workouts') yield readWorkout(data, time);
    else if (field)
      for (const sample of readList(data['data']))
        yield isObject(sample) ? readSample(field, sample, source, time) : unread;
    else yield* skipUnread(data, []);
  },
};

/** Returns e.g. `garmin watch`: the kind of device decides which one counts. */
function describeSource({ slug, provider, name, type }: Fields): string {
  const known = [slug ?? provider ?? name, type].map(readText);
  return known.filter((it) => it !== '' && it !== 'unknown').join(' ');
}

/** A sample has a time, or an interval. */
function readSample(field: Field, sample: Fields, source: string, time: SourceTime): Item {
  const atMs = readAt(sample['timestamp'] ?? sample['start'], time);
  const untilMs = sample['end'] === undefined || sample['end'] === null ? undefined : readAt(sample['end'], time);
  return measure(field, atMs, sample['value'], { source, ...(field === 'steps_last_minute' && { untilMs }) });
}

function readWorkout(data: Fields, time: SourceTime): Item {
  const { slug, name } = readPart(data, 'sport');
  const id = readText(data['id']) || undefined;
  const [atMs, untilMs] = [readAt(data['time_start'], time), readAt(data['time_end'], time)];
  return toExercise(readText(slug ?? name ?? 'other'), atMs, untilMs, { id }) ?? unread;
}
