import type { Item } from '../measurement.js';
import { toExercise, jetpackSports } from '../sports.js';
import {
  type Fields,
  isObject,
  measure,
  unread,
  readAt,
  readList,
  readNumber,
  readText,
  skipUnread,
  type Source,
  SourceFormError,
  toSleep,
  type SourceTime,
} from './source.js';

type ReadRecord = (record: Fields, time: SourceTime) => Item;

/** Readers of the records, by the name of their list. */
const records: Readonly<Record<string, ReadRecord>> = {
  heart_rate: (it, time) => measure('heart_rate', readAt(it['time'], time), it['bpm']),
  heart_rate_variability: (it, time) => measure('rmssd', readAt(it['time'], time), it['rmssd_millis']),
  respiratory_rate: (it, time) => measure('respiratory_rate', readAt(it['time'], time), it['rate']),
  steps: (it, time) => {
    const untilMs = readAt(it['end_time'], time);
    return measure('steps_last_minute', readAt(it['start_time'], time), it['count'], { untilMs });
  },
  sleep(it, time) {
    const untilMs = readAt(it['session_end_time'] ?? it['end_time'], time);
    const start = it['start_time'];
    return toSleep(
      start === undefined ? untilMs - readNumber(it['duration_seconds']) * 1000 : readAt(start, time),
      untilMs,
    );
  },
  exercise(it, time) {
    const type = readText(it['type']);
    const sport = jetpackSports[readNumber(type)] ?? type;
    return toExercise(sport, readAt(it['start_time'], time), readAt(it['end_time'], time)) ?? unread;
  },
};

/** Records of Health Connect, posted by the app HC Webhook (Android). An empty list is absent. */
export const healthConnect: Source = {
  name: 'HC Webhook',
  reads: 'heart rate, heart rate variability (RMSSD), respiratory rate, steps, exercise and sleep',
  *read(body, time) {
    const isForm = isObject(body) && ('timestamp' in body || Object.keys(records).some((name) => name in body));
    if (!isForm) throw new SourceFormError('neither `timestamp` nor a list of records');
    for (const [name, readRecord] of Object.entries(records))
      for (const record of readList(body[name])) yield isObject(record) ? readRecord(record, time) : unread;
    yield* skipUnread(body, Object.keys(records));
  },
};
