import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { type Mapping, listMappings } from './field-map.js';
import { type Item, readTime, type RecordingFile } from './measurement.js';

const recordMaxBytes = 65_536;
const timeColumns = ['timestamp', 'time', 'datetime', 'date_time', 'date'];

interface Row {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

/** Reads a CSV with a header row, a column with times and any of the columns in the field map. */
export async function* readCsv({ path, utcOffsetMs }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const rows = rowsOf(path);
  const titles = ((await rows.next()).value?.record ?? []).map(normalize);
  const time = titles.findIndex((title) => timeColumns.includes(title));
  const mapped = findColumns(titles, listMappings('csv'));
  if (time < 0) throw new Error(`line 1: no column with times: name one of the columns ${timeColumns.join(', ')}`);
  if (mapped.length === 0)
    throw new Error(`line 1: no column is known: name the columns ${[...listMappings('csv').keys()].join(', ')}`);
  for await (const { record } of rows) yield listItems(record, mapped, readTime(record[time] ?? '', utcOffsetMs));
}

/**
 * Reads a training session of Polar Flow: a header with its values, then a second header with the rows. Times of the rows
 * are relative to the start, which is a local time.
 */
export async function* readPolarCsv({ path, utcOffsetMs }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const rows = rowsOf(path);
  const summaryTitles = ((await rows.next()).value?.record ?? []).map(normalize);
  const summary: string[] = (await rows.next()).value?.record ?? [];
  const [day = '', month = '', year = ''] = (summary[summaryTitles.indexOf('date')] ?? '').split('-');
  const start = readTime(`${year}-${month}-${day} ${summary[summaryTitles.indexOf('start_time')] ?? ''}`, utcOffsetMs);
  if (Number.isNaN(start))
    throw new Error('line 2: no Date (DD-MM-YYYY) and Start time (HH:MM:SS): pass the CSV of Polar Flow unchanged');
  const titles = ((await rows.next()).value?.record ?? []).map(normalize);
  const time = titles.indexOf('time');
  const mapped = findColumns(titles, listMappings('polar-csv'));
  if (time < 0 || mapped.length === 0)
    throw new Error('line 3: no columns Time and HR (bpm): the session was recorded without a heart rate sensor');
  for await (const { record } of rows) yield listItems(record, mapped, start + readDuration(record[time] ?? ''));
}

async function* rowsOf(path: string): AsyncGenerator<Row, undefined> {
  const parser = parse({
    bom: true,
    trim: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: recordMaxBytes,
  });
  const source = createReadStream(path);
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const row of source.pipe(parser)) yield row as Row;
  } catch (error) {
    const { lines } = error as { lines?: number };
    throw new Error(`${lines === undefined ? '' : `line ${lines}: `}${(error as Error).message}`);
  } finally {
    source.destroy();
  }
}

/** Returns a title in lower case with underscores, e.g. `hr_bpm` for `HR (bpm)`. */
function normalize(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

interface Column {
  readonly index: number;
  readonly mapping: Mapping;
}

/** Returns the known columns. Two columns of one field, e.g. `hr` and `bpm`, count once. */
function findColumns(titles: readonly string[], mappings: ReadonlyMap<string, Mapping>): Column[] {
  const columns = titles.flatMap((title, index) => {
    const mapping = mappings.get(title);
    return mapping ? [{ index, mapping }] : [];
  });
  return columns.filter(({ mapping }, at) => columns.findIndex((it) => it.mapping.field === mapping.field) === at);
}

/** Returns the values of a row. An empty cell, NaN and NA mean that nothing was measured. */
function listItems(record: readonly string[], columns: readonly Column[], atMs: number): Item[] {
  return columns.flatMap(({ index, mapping }) => {
    const text = record[index] ?? '';
    if (/^(nan|na)?$/i.test(text)) return [];
    return [{ field: mapping.field, atMs, value: Number(text) * mapping.factor }];
  });
}

/** Returns the ms of a duration such as `01:30:00`. NaN if the text is not one. */
function readDuration(text: string): number {
  const parts = /^(\d{1,3}):([0-5]\d):([0-5]\d)$/.exec(text);
  if (!parts) return Number.NaN;
  const [hours, minutes, seconds] = parts.slice(1).map(Number);
  return (((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000;
}
