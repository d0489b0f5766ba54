import type { Item } from '../measurement.js';
import type { Field } from '../signals.js';
import { toExercise } from '../sports.js';
import { terraSports } from '../sport-numbers.js';
import { terraSignature } from './signatures.js';
import { type Fields, type Hub, isObject, measure, unread, readAt, readDevice, readList, readText } from './source.js';
import { readNumber, readPart, SourceFormError, toSleep, type SourceTime } from './source.js';

/** Lists of samples of a record: where they are, and the name of the value. */
const lists: readonly (readonly [parts: readonly string[], list: string, value: string, field: Field])[] = [
  [['heart_rate_data', 'detailed'], 'hr_samples', 'bpm', 'heart_rate'],
  [['heart_rate_data', 'detailed'], 'hrv_samples_rmssd', 'hrv_rmssd', 'rmssd'],
  [['heart_rate_data', 'detailed'], 'hrv_samples_sdnn', 'hrv_sdnn', 'sdnn'],
  [['heart_data', 'heart_rate_data', 'detailed'], 'hr_samples', 'bpm', 'heart_rate'],
  [['heart_data', 'heart_rate_data', 'detailed'], 'hrv_samples_rmssd', 'hrv_rmssd', 'rmssd'],
  [['heart_data', 'heart_rate_data', 'detailed'], 'hrv_samples_sdnn', 'hrv_sdnn', 'sdnn'],
  [['respiration_data', 'breaths_data'], 'samples', 'breaths_per_min', 'respiratory_rate'],
];

/** Webhooks of Terra: days, nights, bodies and activities, with samples inside. A day is sent again when it has grown. */
export const terra: Hub = {
  name: 'Terra',
  reads: 'heart rate, heart rate variability, respiratory rate and activities',
  signature: terraSignature,
  readPerson: (event) => readPart(event, 'user')['reference_id'],
  *read(event, time) {
    if (!isObject(event) || typeof event['type'] !== 'string') throw new SourceFormError('no `type`');
    const provider = readDevice(readPart(event, 'user')['provider']);
    // Events about connections have no list.
    for (const record of Array.isArray(event['data']) ? event['data'] : []) {
      let isRead = false;
      for (const item of readRecord(record, event['type'], provider, time)) {
        isRead = true;
        yield item;
      }
      if (!isRead) yield unread;
    }
  },
};

function* readRecord(record: unknown, type: unknown, provider: string | undefined, time: SourceTime): Generator<Item> {
  const source = readDevice(readPart(record, 'device_data')) ?? provider;
  for (const [parts, list, value, field] of lists)
    for (const sample of readList(readPart(record, ...parts)[list]))
      yield isObject(sample) ? measure(field, readAt(sample['timestamp'], time), sample[value], { source }) : unread;
  if (type === 'activity') yield* readActivity(record, time);
  const { start_time: start, end_time: end, summary_id: id } = readPart(record, 'metadata');
  if (type === 'sleep' && start && end) yield toSleep(readAt(start, time), readAt(end, time), readText(id));
}

function* readActivity(record: unknown, time: SourceTime): Generator<Item> {
  const { name, type, start_time: start, end_time: end, summary_id }: Fields = readPart(record, 'metadata');
  const id = readText(summary_id) || undefined;
  const workout = toExercise(
    terraSports[readNumber(type)] ?? (readText(name) || 'other'),
    readAt(start, time),
    readAt(end, time),
    { id },
  );
  if (workout && start) yield workout;
}
