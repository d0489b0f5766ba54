import { readWholeText } from './chunks.js';
import { formatsRead, listMappings } from './field-map.js';
import { readJson } from './json.js';
import type { Item, Recording } from './measurement.js';
import { describeNames } from './names.js';
import { type ActivityLevel, classifySport } from './sports.js';
import { readTime } from './times.js';

const expected = 'training-session-*.json, 247ohr_*.json or ppi_samples_*.json of the Polar Flow export';
const mappings = listMappings('polar-json');
/** Minutes from UTC, of a training session and of each of its exercises. */
const offsets = ['timeZoneOffset', 'exercises.*.timezoneOffset'];
const day = 'deviceDays.*.date';
const sport = 'exercises.*.sport';

type SampleField = 'dateTime' | 'value' | 'secondsFromDayStart' | 'heartRate' | 'sampleDateTime' | 'pulseLength';
type Sample = Readonly<Partial<Record<SampleField, unknown>>>;

/**
 * Reads a file of the Polar Flow data export: a training session, the heart rate of a month (24/7), or the beats of a
 * month. Times are local. Training sessions state their zone, and the other files require the offset of the caller.
 */
export async function* readPolarJson({ chunks, utcOffsetMs }: Recording): AsyncGenerator<readonly Item[]> {
  const text = await readWholeText(chunks);
  let offsetMs = utcOffsetMs;
  let date = '';
  let activity: ActivityLevel | undefined;
  let hasSamples = false;
  for (const entry of readJson(text, [...offsets, day, sport, ...mappings.keys()], expected)) {
    if (offsets.includes(entry.path)) offsetMs = typeof entry.value === 'number' ? entry.value * 60_000 : utcOffsetMs;
    else if (entry.path === day) date = String(entry.value);
    else if (entry.path === sport) activity = classifySport(String(entry.value));
    else {
      hasSamples = true;
      yield [{ ...createItem(entry.path, (entry.value ?? {}) as Sample, { offsetMs, date }), activity }];
    }
  }
  if (!hasSamples) {
    const names = [...text.matchAll(/"([^"\\]{1,40})"\s*:/g)].map(([, name = '']) => name);
    const known = describeNames([...new Set(names)]);
    throw new Error(`no heart rate and no beats of Polar Flow in the file. Its names: ${known}. ${formatsRead}`);
  }
}

function createItem(path: string, sample: Sample, { offsetMs, date }: { offsetMs: number; date: string }): Item {
  const mapping = mappings.get(path);
  if (!mapping) return { skipped: 'not a sample of Polar Flow' };
  const value = readNumber(sample.value ?? sample.heartRate ?? sample.pulseLength) * mapping.factor;
  const time = sample.dateTime ?? sample.sampleDateTime;
  const atMs =
    time === undefined
      ? readTime(`${date} 00:00`, offsetMs) + readNumber(sample.secondsFromDayStart) * 1000
      : readTime(String(time), offsetMs);
  return { field: mapping.field, atMs, value };
}

/** Returns the number. NaN for another value: a training session has samples without a value when the sensor lost contact. */
function readNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
