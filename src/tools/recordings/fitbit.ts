import { basename } from 'node:path';
import { mappingsOf } from './field-map.js';
import { type Item, readTime, readWholeFile, type RecordingFile } from './measurement.js';

const minuteMs = 60_000;
/** An entry of an export has about 100 characters. */
const entryMaxCharacters = 4_096;

/**
 * Reads `heart_rate-YYYY-MM-DD.json` or `steps-YYYY-MM-DD.json` of a Fitbit export (Google Takeout). Their times are in
 * UTC. The file name identifies steps, because the files of calories and distance have the same content.
 */
export async function* readFitbit({ path }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const text = (await readWholeFile(path)).toString('utf8').replace(/^\uFEFF/, '');
  const read = /^steps-/.test(basename(path)) ? stepsOf : heartRateOf;
  for (const entry of parseEntries(text)) yield [read(entry)];
}

function heartRateOf(entry: unknown): Item {
  const mapping = mappingsOfFitbit.get('value.bpm');
  const { dateTime, value } = (entry ?? {}) as { dateTime?: unknown; value?: { bpm?: unknown; confidence?: unknown } };
  if (!mapping || typeof value?.bpm !== 'number') return { skipped: 'not an entry with value.bpm' };
  // Fitbit writes 70 bpm with confidence 0 when it has no contact to the skin.
  if (value.confidence === 0) return { skipped: 'heart_rate with confidence 0' };
  return { field: mapping.field, atMs: fitbitTime(dateTime), value: value.bpm * mapping.factor };
}

function stepsOf(entry: unknown): Item {
  const mapping = mappingsOfFitbit.get('value');
  const { dateTime, value } = (entry ?? {}) as { dateTime?: unknown; value?: unknown };
  if (!mapping || typeof value !== 'string') return { skipped: 'not an entry with value' };
  const atMs = fitbitTime(dateTime);
  return { field: mapping.field, atMs, untilMs: atMs + minuteMs, value: Number(value || 'none') * mapping.factor };
}

const mappingsOfFitbit = mappingsOf('fitbit');

/** Returns the epoch ms of `MM/DD/YY HH:MM:SS` in UTC. NaN if the value is not one. */
function fitbitTime(value: unknown): number {
  const parts = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)$/.exec(typeof value === 'string' ? value : '');
  if (!parts) return Number.NaN;
  const [, month, day, year, time] = parts;
  return readTime(`20${year}-${month}-${day} ${time}Z`, 0);
}

/**
 * Parses the entries of a JSON array one by one. Nested JSON takes forty times its size in memory, so the whole file is
 * never parsed at once, and the size of an entry is limited. Errors name the line.
 */
function* parseEntries(text: string): Generator<unknown> {
  if (!/^\s*\[/.test(text))
    throw new Error('the file is not a JSON array: pass heart_rate-*.json or steps-*.json of the Fitbit export');
  // Matches a text, or a character that opens, closes or separates values. Of a text that is too long, matches only the
  // opening quotation mark.
  const tokens = new RegExp(String.raw`"(?:[^"\\]|\\[^]){0,${entryMaxCharacters}}"|["[\]{},]`, 'g');
  let depth = 0;
  let start = text.indexOf('[') + 1;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [symbol] = token;
    if (symbol === '[' || symbol === '{') depth += 1;
    else if (symbol === ']' || symbol === '}') depth -= 1;
    const end = symbol === '"' ? text.length : tokens.lastIndex;
    if (end - start > entryMaxCharacters)
      throw new Error(
        `line ${lineAt(text, start)}: an entry has more than ${entryMaxCharacters} characters: pass heart_rate-*.json or ` +
          'steps-*.json of the Fitbit export',
      );
    const isEnd = depth === 0;
    if (!isEnd && !(depth === 1 && symbol === ',')) continue;
    const entry = text.slice(start, token.index);
    // An empty array has no entry.
    const isEmpty = isEnd && entry.trim() === '' && text.slice(0, token.index).trim() === '[';
    if (!isEmpty) yield parseEntry(text, start, entry);
    start = tokens.lastIndex;
    if (!isEnd) continue;
    if (symbol === ']' && text.slice(start).trim() === '') return;
    break;
  }
  throw notJson(text, start);
}

function parseEntry(text: string, start: number, entry: string): unknown {
  try {
    return JSON.parse(entry);
  } catch {
    throw notJson(text, start);
  }
}

function notJson(text: string, at: number): Error {
  return new Error(`line ${lineAt(text, at)}: not valid JSON: extract the file from the export again`);
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}
