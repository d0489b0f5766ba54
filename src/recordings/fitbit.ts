import { basename } from 'node:path';
import { convert, mappingsOf } from './field-map.js';
import type { Item, RecordingFile } from './measurement.js';
import { readTime } from './times.js';
import { readWholeFile } from './whole-file.js';

const minuteMs = 60_000;

/**
 * Reads `heart_rate-YYYY-MM-DD.json` or `steps-YYYY-MM-DD.json` of a Fitbit export (Google Takeout). Their times are in
 * UTC. The file name identifies steps, because the files of calories and distance have the same content.
 */
export async function* readFitbit({ path }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const entries = parseJson((await readWholeFile(path)).toString('utf8'));
  if (!Array.isArray(entries))
    throw new Error('the file is not a JSON array: pass heart_rate-*.json or steps-*.json of the Fitbit export');
  const isSteps = /^steps-/.test(basename(path));
  yield entries.map((entry: unknown) => (isSteps ? stepsOf(entry) : heartRateOf(entry)));
}

function heartRateOf(entry: unknown): Item {
  const mapping = mappingsOfFitbit.get('value.bpm');
  const { dateTime, value } = (entry ?? {}) as { dateTime?: unknown; value?: { bpm?: unknown; confidence?: unknown } };
  if (!mapping || typeof value?.bpm !== 'number') return { skipped: 'not an entry with value.bpm' };
  // Fitbit writes 70 bpm with confidence 0 when it has no contact to the skin.
  if (value.confidence === 0) return { skipped: 'heart_rate with confidence 0' };
  return { field: mapping.field, atMs: fitbitTime(dateTime), value: convert(mapping, value.bpm) };
}

function stepsOf(entry: unknown): Item {
  const mapping = mappingsOfFitbit.get('value');
  const { dateTime, value } = (entry ?? {}) as { dateTime?: unknown; value?: unknown };
  if (!mapping || typeof value !== 'string') return { skipped: 'not an entry with value' };
  const atMs = fitbitTime(dateTime);
  return { field: mapping.field, atMs, untilMs: atMs + minuteMs, value: convert(mapping, Number(value || 'none')) };
}

const mappingsOfFitbit = mappingsOf('fitbit');

/** Returns the epoch ms of `MM/DD/YY HH:MM:SS` in UTC. NaN if the value is not one. */
function fitbitTime(value: unknown): number {
  const parts = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)$/.exec(typeof value === 'string' ? value : '');
  if (!parts) return Number.NaN;
  const [, month, day, year, time] = parts;
  return readTime(`20${year}-${month}-${day} ${time}Z`, 0);
}

/** Parses JSON. The error names the line, if the engine states the position. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const lines = text.slice(0, position === undefined ? text.length : Number(position)).split('\n').length;
    const place = position === undefined ? `lines 1 to ${lines}` : `line ${lines}`;
    throw new Error(`${place}: not valid JSON: extract the file from the export again`);
  }
}
