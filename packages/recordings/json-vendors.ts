import { countJson, countLeaves } from './account.js';
import { findBodyReader, inGroups, parseBody } from './bodies.js';
import { readWholeText } from './chunks.js';
import { normalize, timeColumns } from './csv-columns.js';
import { listMappings } from './field-map.js';
import { readJson } from './json.js';
import { type Item, NotReadError, type Recording } from './measurement.js';
import { listNames } from './names.js';
import { sources } from '../../generated/spec.js';
import { type Clock, createClock, createTimeReader } from './times.js';

const expected = 'the JSON of Oura, Garmin or Google Fit as it was exported';
const source = 'Data Source';
const rows = ['*', 'data.*', 'heart_rate.*', 'heartrate.*'];
const [garminPath, googlePath] = ['heartRateValues.*', 'Data Points.*'];

/** A larger body is not parsed at once, because it takes forty times its size in memory. */
const bodyMaxCharacters = sources.max_bytes;

/** Nanoseconds in a millisecond. */
const nanoseconds = 1e6;

/**
 * Reads lists of objects with a time and values named like the columns of a CSV, e.g. of Oura, the heart rate of a day of
 * Garmin, and a data source of Google Fit (Google Takeout).
 */
export async function* readJsonVendors(recording: Recording): AsyncGenerator<readonly Item[]> {
  const text = await readWholeText(recording.chunks);
  const body = text.length <= bodyMaxCharacters ? parseBody(text) : undefined;
  const read = findBodyReader(body);
  if (read) {
    yield [countLeaves(body)];
    return yield* inGroups(read(body, recording));
  }
  yield [countJson(text)];
  const readRow = createRowReader(createClock(recording.zone));
  let [entries, known, type] = [0, 0, ''];
  for await (const { path, value } of readJson(text, [source, garminPath, googlePath, ...rows], expected)) {
    if (path === source) type = String(value);
    else {
      const items =
        path === garminPath ? readGarmin(value) : path === googlePath ? readGoogle(value, type) : readRow(value);
      entries += 1;
      known += items ? 1 : 0;
      yield items ?? [{ skipped: 'an entry without a time and a known value', values: 0 }];
    }
  }
  if (known === 0 && (entries > 0 || !/^\s*\[/.test(text)))
    throw new NotReadError('a JSON file without a heart rate and beats', listNames(text));
}

/** Returns a function that reads an object with a time. It returns undefined for another value. */
function createRowReader(clock: Clock): (value: unknown) => Item[] | undefined {
  const read = createTimeReader(clock);
  const mappings = listMappings('csv');
  return (value) => {
    const entries = Object.entries(value ?? {}).map(([name, it]) => [normalize(name), it] as const);
    const [, time] = timeColumns.flatMap((name) => entries.filter(([it]) => it === name))[0] ?? [];
    const items = entries.flatMap(([name, it]): Item[] => {
      const mapping = mappings.get(name);
      return mapping ? [{ field: mapping.field, atMs: read(String(time)), value: toNumber(it) * mapping.factor }] : [];
    });
    return time === undefined || items.length === 0 ? undefined : items;
  };
}

/** Garmin Connect writes pairs of epoch ms and bpm, and null where the watch measured nothing. */
function readGarmin(value: unknown): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value[1] === null ? [] : [{ field: 'heart_rate', atMs: toNumber(value[0]), value: toNumber(value[1]) }];
}

interface GooglePoint {
  readonly fitValue?: readonly { readonly value?: { readonly fpVal?: unknown; readonly intVal?: unknown } }[];
  readonly startTimeNanos?: unknown;
  readonly endTimeNanos?: unknown;
}

function readGoogle(value: unknown, type: string): Item[] | undefined {
  const { fitValue, startTimeNanos, endTimeNanos } = (value ?? {}) as GooglePoint;
  const found = fitValue?.[0]?.value;
  const isSteps = type.includes('step_count.delta');
  if (!found || (!isSteps && !type.includes('heart_rate.bpm'))) return undefined;
  const times = { atMs: toMs(startTimeNanos), ...(isSteps && { untilMs: toMs(endTimeNanos) }) };
  return [
    { field: isSteps ? 'steps_last_minute' : 'heart_rate', ...times, value: toNumber(found.fpVal ?? found.intVal) },
  ];
}

function toMs(time: unknown): number {
  return Math.round(toNumber(time) / nanoseconds);
}

/** Returns the number of a number or a text. NaN for another value. */
function toNumber(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN;
}
