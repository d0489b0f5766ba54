import type { Item } from '../measurement.js';
import type { Field } from '../signals.js';
import { toExercise } from '../sports.js';
import {
  areDays,
  ofDay,
  readPart,
  toSleep,
  type Fields,
  findEntry,
  isObject,
  measure,
  type Mood,
  unread,
  readAt,
  readDevice,
  readList,
  readNumber,
  readText,
  skipUnread,
  type Source,
  SourceFormError,
  type SourceTime,
} from './source.js';

/** Metrics by name, with their units. A metric in another unit is skipped. */
const metrics: Readonly<Record<string, readonly [field: Field, units: RegExp]>> = {
  heart_rate: ['heart_rate', /^(count\/min|bpm)$/i],
  heart_rate_variability: ['sdnn', /^ms$/i],
  heart_rate_variability_sdnn: ['sdnn', /^ms$/i],
  heart_rate_variability_rmssd: ['rmssd', /^ms$/i],
  respiratory_rate: ['respiratory_rate', /^(count\/min|breaths?\/min)$/i],
  step_count: ['steps_last_minute', /^(count|steps)$/i],
};

/** Automation "REST API" of Health Auto Export (iOS), with all metrics in one body. */
export const healthAutoExport: Source = {
  name: 'Health Auto Export',
  reads: 'heart rate, heart rate variability, respiratory rate, steps, workouts and moods of a moment',
  *read(body, time) {
    const data = isObject(body) ? body['data'] : undefined;
    if (!isObject(data)) throw new SourceFormError('no object `data`');
    for (const metric of readList(data['metrics'])) yield* readMetric(metric, time);
    for (const workout of readList(data['workouts'])) yield* readWorkout(workout, time);
    for (const state of readList(data['stateOfMind'])) yield readMood(state, time);
    yield* skipUnread(data, ['metrics', 'workouts', 'stateOfMind']);
  },
};

function* readMetric(metric: unknown, time: SourceTime): Generator<Item> {
  if (!isObject(metric) || typeof metric['name'] !== 'string') throw new SourceFormError('a metric without a name');
  const [field, units] = findEntry(metrics, readText(metric['name'])) ?? [];
  const isUnit = units?.test(readText(metric['units'])) ?? false;
  const entries = readList(metric['data']);
  if (metric['name'] === 'sleep_analysis')
    return yield* entries.map((it) =>
      toSleep(readAt(readPart(it)['sleepStart'], time), readAt(readPart(it)['sleepEnd'], time)),
    );
  // The app sums up days if it is set to.
  const isDaily = areDays(entries.map((entry) => (isObject(entry) ? entry['date'] : undefined)));
  for (const entry of entries) {
    if (field && isDaily) yield ofDay;
    else if (!field || !isObject(entry)) yield unread;
    else if (!isUnit) yield { skipped: 'another unit' };
    else yield readEntry(field, entry, time);
  }
}

/** Heart rates have the least, mean and most of an interval, other metrics a quantity. */
function readEntry(field: Field, entry: Fields, time: SourceTime): Item {
  const value = entry['Avg'] ?? entry['avg'] ?? entry['qty'];
  return measure(field, readAt(entry['date'], time), value, { source: readDevice(entry['source']) });
}

function* readWorkout(workout: unknown, time: SourceTime): Generator<Item> {
  if (!isObject(workout)) throw new SourceFormError('a workout that is no object');
  const [atMs, untilMs] = [readAt(workout['start'], time), readAt(workout['end'], time)];
  const id = readText(workout['id']) || undefined;
  yield toExercise(readText(workout['name']), atMs, untilMs, { id }) ?? unread;
  for (const entry of readList(workout['heartRateData']))
    yield isObject(entry) ? readEntry('heart_rate', entry, time) : unread;
}

/** Reads an emotion of a moment. The mood of a day belongs to no time. */
function readMood(state: unknown, time: SourceTime): Item | Mood {
  if (!isObject(state) || !/^(momentary|1$)/i.test(readText(state['kind']))) return unread;
  const [valence, atMs] = [readNumber(state['valence']), readAt(state['start'], time)];
  if (!(Math.abs(valence) <= 1) || !Number.isFinite(atMs)) return { skipped: 'a mood without time or valence' };
  return { valence, atMs };
}
