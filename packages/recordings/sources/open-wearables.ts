import type { Item } from '../measurement.js';
import type { Field } from '../signals.js';
import { toExercise } from '../sports.js';
import { svix } from './signatures.js';
import { type Fields, type Hub, isObject, measure, unread, readAt, readDevice, readList, readText } from './source.js';
import { findEntry, SourceFormError, type SourceTime } from './source.js';

const series: Readonly<Record<string, Field>> = {
  heart_rate: 'heart_rate',
  heart_rate_variability_sdnn: 'sdnn',
  heart_rate_variability_rmssd: 'rmssd',
  respiratory_rate: 'respiratory_rate',
};

/** Webhooks of Open Wearables: series of samples, and workouts. Steps state no interval, so they are not read. */
export const openWearables: Hub = {
  name: 'Open Wearables',
  reads: 'heart rate, heart rate variability, respiratory rate and workouts',
  signature: svix,
  readPerson: (event) => (isObject(event) && isObject(event['data']) ? event['data']['user_id'] : undefined),
  *read(event, time) {
    if (!isObject(event) || typeof event['type'] !== 'string' || !isObject(event['data']))
      throw new SourceFormError('no `type` and `data`');
    const { type, data } = event;
    if (/^(workout|activity)\./.test(readText(type))) yield readWorkout(data, time);
    for (const sample of readList(data['samples'])) yield readSample(sample, data, time);
  },
};

function readSample(sample: unknown, data: Fields, time: SourceTime): Item {
  if (!isObject(sample)) return unread;
  const field = findEntry(series, readText(sample['type'] ?? data['series_type']));
  if (!field) return unread;
  const { source: from } = sample;
  const source = readDevice(from) ?? readDevice(isObject(from) ? from['provider'] : data['provider']);
  return measure(field, readAt(sample['timestamp'], time), sample['value'], { source });
}

function readWorkout(data: Fields, time: SourceTime): Item {
  const id = readText(data['id']) || undefined;
  const [atMs, untilMs] = [readAt(data['start_time'], time), readAt(data['end_time'], time)];
  return toExercise(readText(data['type']), atMs, untilMs, { id }) ?? unread;
}
