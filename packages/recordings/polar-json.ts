import { countJson } from './account.js';
import { readWholeText } from './chunks.js';
import { listMappings } from './field-map.js';
import { readJson } from './json.js';
import { type Item, NotReadError, type Recording } from './measurement.js';
import { listNames } from './names.js';
import { type ActivityLevel, classifySport } from './sports.js';
import { type Clock, createClock, readTime } from './times.js';

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
 * month. Times are local. Training sessions state their zone, and the other files require the zone of the caller.
 */
export async function* readPolarJson({ chunks, zone }: Recording): AsyncGenerator<readonly Item[]> {
  const text = await readWholeText(chunks);
  yield [countJson(text)];
  const local = createClock(zone);
  let clock = local;
  let date = '';
  let activity: ActivityLevel | undefined;
  let hasSamples = false;
  for await (const entry of readJson(text, [...offsets, day, sport, ...mappings.keys()], expected)) {
    if (offsets.includes(entry.path))
      clock = typeof entry.value === 'number' ? createClock(entry.value * 60_000) : local;
    else if (entry.path === day) date = String(entry.value);
    else if (entry.path === sport) activity = classifySport(String(entry.value));
    else {
      hasSamples = true;
      yield [{ ...createItem(entry.path, (entry.value ?? {}) as Sample, { clock, date }), activity }];
    }
  }
  if (!hasSamples) {
    throw new NotReadError('a JSON file without a heart rate and beats', listNames(text));
  }
}

function createItem(path: string, sample: Sample, { clock, date }: { clock: Clock; date: string }): Item {
  const mapping = mappings.get(path);
  if (!mapping) return { skipped: 'not a sample of Polar Flow', values: 0 };
  const value = readNumber(sample.value ?? sample.heartRate ?? sample.pulseLength) * mapping.factor;
  const time = sample.dateTime ?? sample.sampleDateTime;
  const atMs =
    time === undefined
      ? clock(readTime(`${date} 00:00`) + readNumber(sample.secondsFromDayStart) * 1000)
      : readTime(String(time), clock);
  return { field: mapping.field, atMs, value };
}

/** Returns the number. NaN for another value: a training session has samples without a value when the sensor lost contact. */
function readNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
