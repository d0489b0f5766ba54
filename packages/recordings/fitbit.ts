import { countJson } from './account.js';
import { readWholeText } from './chunks.js';
import { listMappings } from './field-map.js';
import { readJson } from './json.js';
import { type Item, NotReadError, type Recording } from './measurement.js';
import { listNames } from './names.js';
import { toSleep } from './sources/source.js';
import { toExercise } from './sports.js';
import { createClock, createTimeReader, readTime } from './times.js';

const minuteMs = 60_000;
const expected = 'heart_rate-*.json, steps-*.json, exercise-*.json or sleep-*.json of the Fitbit export';
const unknown = { skipped: 'not an entry with value.bpm', values: 0 };

/**
 * Reads `heart_rate-YYYY-MM-DD.json`, `steps-YYYY-MM-DD.json`, `exercise-N.json` or `sleep-YYYY-MM-DD.json` of a Fitbit export
 * (Google Takeout). Their times are in UTC, those of sleep local. The file name identifies steps, because the files of calories
 * and distance have the same content.
 */
export async function* readFitbit({ name, chunks, zone }: Recording): AsyncGenerator<readonly Item[]> {
  const text = await readWholeText(chunks);
  const readLocal = createTimeReader(createClock(zone));
  const read = /^steps-/.test(name) ? readSteps : (entry: unknown) => readNight(entry, readLocal) ?? readEntry(entry);
  if (!/^\s*\[/.test(text)) throw new Error(`the file is not a JSON array: pass ${expected}`);
  yield [countJson(text)];
  let [entries, known] = [0, 0];
  for await (const { value } of readJson(text, ['*'], expected)) {
    const item = read(value);
    entries += 1;
    if (item !== unknown) known += 1;
    yield item ? [item] : [];
  }
  if (entries > 0 && known === 0) throw new NotReadError('a JSON file without a heart rate', listNames(text));
}

/** Returns the fact of a night. Undefined for another entry. */
function readNight(entry: unknown, readLocal: (text: string) => number): Item | undefined {
  const { logId, dateOfSleep, startTime, endTime } = (entry ?? {}) as Entry;
  if (typeof dateOfSleep !== 'string') return undefined;
  return toSleep(
    readLocal(String(startTime)),
    readLocal(String(endTime)),
    logId === undefined ? undefined : String(logId),
  );
}

interface Entry {
  readonly dateTime?: unknown;
  readonly value?: { readonly bpm?: unknown; readonly confidence?: unknown };
  readonly activityName?: unknown;
  readonly startTime?: unknown;
  readonly endTime?: unknown;
  readonly dateOfSleep?: unknown;
  readonly logId?: unknown;
  /** ms */
  readonly duration?: unknown;
}

/** Returns a heart rate or a workout. Undefined for a workout that says nothing about the movement. */
function readEntry(entry: unknown): Item | undefined {
  const { dateTime, value, activityName, startTime, duration } = (entry ?? {}) as Entry;
  if (typeof activityName === 'string') {
    const atMs = fitbitTime(startTime);
    return toExercise(activityName, atMs, atMs + (typeof duration === 'number' ? duration : Number.NaN));
  }
  const mapping = mappingsOfFitbit.get('value.bpm');
  if (!mapping || typeof value?.bpm !== 'number') return unknown;
  // Fitbit writes 70 bpm with confidence 0 when it has no contact to the skin.
  if (value.confidence === 0) return { skipped: 'heart_rate with confidence 0', as: 'placeholder' };
  return { field: mapping.field, atMs: fitbitTime(dateTime), value: value.bpm * mapping.factor };
}

function readSteps(entry: unknown): Item {
  const mapping = mappingsOfFitbit.get('value');
  const { dateTime, value } = (entry ?? {}) as { dateTime?: unknown; value?: unknown };
  if (!mapping || typeof value !== 'string') return { skipped: 'not an entry with value', values: 0 };
  const atMs = fitbitTime(dateTime);
  return { field: mapping.field, atMs, untilMs: atMs + minuteMs, value: Number(value || 'none') * mapping.factor };
}

const mappingsOfFitbit = listMappings('fitbit');

/** Returns the epoch ms of `MM/DD/YY HH:MM:SS` in UTC. NaN if the value is not one. */
function fitbitTime(value: unknown): number {
  const parts = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)$/.exec(typeof value === 'string' ? value : '');
  if (!parts) return Number.NaN;
  const [, month, day, year, time] = parts;
  return readTime(`20${year}-${month}-${day} ${time}Z`);
}
