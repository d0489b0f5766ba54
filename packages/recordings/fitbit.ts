import { readWholeText } from './chunks.js';
import { listMappings } from './field-map.js';
import { readJson } from './json.js';
import type { Item, Recording } from './measurement.js';
import { readTime } from './times.js';

const minuteMs = 60_000;
const expected = 'heart_rate-*.json or steps-*.json of the Fitbit export';

/**
 * Reads `heart_rate-YYYY-MM-DD.json` or `steps-YYYY-MM-DD.json` of a Fitbit export (Google Takeout). Their times are in
 * UTC. The file name identifies steps, because the files of calories and distance have the same content.
 */
export async function* readFitbit({ name, chunks }: Recording): AsyncGenerator<readonly Item[]> {
  const text = await readWholeText(chunks);
  const read = /^steps-/.test(name) ? readSteps : readHeartRate;
  if (!/^\s*\[/.test(text)) throw new Error(`the file is not a JSON array: pass ${expected}`);
  for (const { value } of readJson(text, ['*'], expected)) yield [read(value)];
}

function readHeartRate(entry: unknown): Item {
  const mapping = mappingsOfFitbit.get('value.bpm');
  const { dateTime, value } = (entry ?? {}) as { dateTime?: unknown; value?: { bpm?: unknown; confidence?: unknown } };
  if (!mapping || typeof value?.bpm !== 'number') return { skipped: 'not an entry with value.bpm' };
  // Fitbit writes 70 bpm with confidence 0 when it has no contact to the skin.
  if (value.confidence === 0) return { skipped: 'heart_rate with confidence 0' };
  return { field: mapping.field, atMs: fitbitTime(dateTime), value: value.bpm * mapping.factor };
}

function readSteps(entry: unknown): Item {
  const mapping = mappingsOfFitbit.get('value');
  const { dateTime, value } = (entry ?? {}) as { dateTime?: unknown; value?: unknown };
  if (!mapping || typeof value !== 'string') return { skipped: 'not an entry with value' };
  const atMs = fitbitTime(dateTime);
  return { field: mapping.field, atMs, untilMs: atMs + minuteMs, value: Number(value || 'none') * mapping.factor };
}

const mappingsOfFitbit = listMappings('fitbit');

/** Returns the epoch ms of `MM/DD/YY HH:MM:SS` in UTC. NaN if the value is not one. */
function fitbitTime(value: unknown): number {
  const parts = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)$/.exec(typeof value === 'string' ? value : '');
  if (!parts) return Number.NaN;
  const [, month, day, year, time] = parts;
  return readTime(`20${year}-${month}-${day} ${time}Z`, 0);
}
