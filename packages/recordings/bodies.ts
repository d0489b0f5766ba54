import type { Item, Recording } from './measurement.js';
import { hasKnownField } from './sources/generic.js';
import { sources } from './sources/index.js';
import { type Fields, isObject, measure, readList, readPart, readText, SourceFormError } from './sources/source.js';
import { createClock, createTimeReader, readTime } from './times.js';

/*
 * A file with the body that an app posts, e.g. the export of Health Auto Export or of a hub. The names in it show the app.
 */

type ReadBody = (body: unknown, recording: Recording) => Iterable<Item>;
type SourceName = keyof typeof sources;

const groupSize = 1_000;
const recordLists = ['heart_rate', 'heart_rate_variability', 'respiratory_rate', 'steps', 'exercise'];
const recordNames = ['bpm', 'rmssd_millis', 'rate', 'count', 'start_time'];

/** Returns undefined for a text that is no JSON. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the reader of the body of an app. Undefined if it has the form of none. */
export function findBodyReader(body: unknown): ReadBody | undefined {
  const [first] = Array.isArray(body) ? (body as unknown[]) : [body];
  if (!isObject(first)) return undefined;
  if ('activities-heart-intraday' in first) return readIntraday;
  const name = findSourceName(first);
  return name && ((all, recording) => readSource(name, all, recording));
}

function findSourceName(body: Fields): SourceName | undefined {
  const { data, type } = body;
  if (isObject(data) && ['metrics', 'workouts', 'stateOfMind'].some((it) => Array.isArray(data[it])))
    return 'health_auto_export';
  if ('dates' in body && 'values' in body) return 'apple_shortcuts';
  if (typeof body['event_type'] === 'string') return 'junction';
  if (typeof type === 'string' && isObject(body['user']) && Array.isArray(data)) return 'terra';
  if (
    typeof type === 'string' &&
    isObject(data) &&
    (Array.isArray(data['samples']) || /^(workout|activity)\./.test(type))
  )
    return 'open_wearables';
  const records = recordLists.map((it) => (Array.isArray(body[it]) ? (body[it] as unknown[])[0] : undefined));
  if (records.some((it) => isObject(it) && recordNames.some((name) => name in it))) return 'health_connect';
  return hasKnownField(body) ? 'generic' : undefined;
}

/** A source of several people posts a list of events. Other lists are the samples of `generic`. */
function* readSource(name: SourceName, body: unknown, { zone }: Recording): Generator<Item> {
  const time = { readTime: createTimeReader(createClock(zone)), nowMs: Number.NaN };
  const events: readonly unknown[] = name !== 'generic' && Array.isArray(body) ? body : [body];
  try {
    for (const event of events)
      for (const item of sources[name].read(event, time))
        yield 'valence' in item ? { skipped: 'a mood, which is no signal', values: 0 } : item;
  } catch (error) {
    if (!(error instanceof SourceFormError)) throw error;
    throw new Error(`a body of ${sources[name].name} with ${error.message}`);
  }
}

/** Fitbit Web API, heart rate of a day: a date, and local times of day. */
function* readIntraday(body: unknown, { zone }: Recording): Generator<Item> {
  const clock = createClock(zone);
  for (const day of [body].flat()) {
    const summaries = readList(readPart({ day }, 'day')['activities-heart']);
    const dates = summaries.map((it) => readText(readPart({ it }, 'it')['dateTime']));
    const [date = ''] = dates;
    if (dates.length !== 1) throw new Error('the heart rates of a day require one dateTime in activities-heart');
    for (const summary of summaries)
      if ('restingHeartRate' in readPart(summary, 'value'))
        yield { skipped: 'a value of a whole day', as: 'day_summary' };
    for (const sample of readList(readPart(day, 'activities-heart-intraday')['dataset'])) {
      const { time, value } = readPart({ sample }, 'sample');
      yield measure('heart_rate', readTime(`${date} ${readText(time)}`, clock), value);
    }
  }
}

export function* inGroups(items: Iterable<Item>): Generator<readonly Item[]> {
  let group: Item[] = [];
  for (const item of items)
    if (group.push(item) === groupSize) {
      yield group;
      group = [];
    }
  yield group;
}
