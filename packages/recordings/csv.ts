import { type Delimiter, openRows, readCell } from './csv-rows.js';
import { formatsRead, type Mapping, listMappings } from './field-map.js';
import type { Item, Measurement, Recording } from './measurement.js';
import { describeNames } from './names.js';
import { classifySport } from './sports.js';
import { readTime } from './times.js';

const brokenRow = { skipped: 'a row with a misplaced quotation mark' };

/** Columns with a time, the likeliest first. `time` and `date` may also be the two parts of one. */
const timeColumns = ['timestamp', 'datetime', 'date_time', 'time', 'date'];
/** Columns with the name of the device. */
const deviceColumns = ['source_device', 'device', 'source', 'data_source'];

/** Reads a CSV with a header row, a time in one column or two, and any of the columns in the field map. */
export async function* readCsv({ chunks, utcOffsetMs }: Recording): AsyncGenerator<readonly Item[]> {
  const broken: Item[] = [];
  const { rows, delimiter } = await openRows(chunks, () => broken.push(brokenRow));
  const header = (await rows.next()).value?.record ?? [];
  const titles = header.map(normalize);
  const mapped = findColumns(titles, listMappings('csv'));
  if (!titles.some((title) => timeColumns.includes(title)))
    throw refuse(header, `no column with times: name one of the columns ${timeColumns.join(', ')}`);
  if (mapped.length === 0)
    throw refuse(header, `no column is known: name the columns ${[...listMappings('csv').keys()].join(', ')}`);
  const device = titles.findIndex((title) => deviceColumns.includes(title));
  let times: TimeText | undefined;
  for await (const { record } of rows) {
    // The first row with a time decides, so that all rows count in the same zone.
    times ??= timeTexts(titles).find((it) => !Number.isNaN(readLocalTime(it(record), utcOffsetMs)));
    const atMs = readLocalTime(times?.(record) ?? '', utcOffsetMs);
    yield listItems(record, mapped, { atMs, source: record[device] || undefined }, delimiter);
    yield broken.splice(0);
  }
  yield broken;
}

function refuse(header: readonly string[], problem: string): Error {
  return new Error(`line 1: ${problem}. The columns of the file: ${describeNames(header)}. ${formatsRead}`);
}

type TimeText = (record: readonly string[]) => string;

/** Returns the ways to find the time of a row. A time of day follows its date, also if the date is written with midnight. */
function timeTexts(titles: readonly string[]): TimeText[] {
  const read = (title: string): TimeText => {
    const index = titles.indexOf(title);
    return (record) => record[index] ?? '';
  };
  const [date, time] = [read('date'), read('time')];
  const inTwo: TimeText = (record) =>
    /^\d\d?:\d\d/.test(time(record)) ? `${dayOf(date(record))} ${time(record)}` : '';
  const [timestamp = '', datetime = '', dateTime = '', ...parts] = timeColumns;
  return [...[timestamp, datetime, dateTime].map(read), inTwo, ...parts.map(read)];
}

function dayOf(date: string): string {
  return date.split(/[T ]/, 1)[0] ?? '';
}

/** Returns the epoch ms of a time as in ISO 8601 or as spreadsheets write it, e.g. `20.11.2024 9:00`. NaN for another text. */
function readLocalTime(text: string, utcOffsetMs: number): number {
  const iso = text
    .replace(/^(\d\d?)\.(\d\d?)\.(\d{4})(?=[T ])/, (_, day: string, month: string, year: string) =>
      [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
    )
    .replace(/^(\d{4})[/.](\d\d)[/.](\d\d)(?=[T ])/, '$1-$2-$3')
    .replace(/ (?=\d:)/, ' 0')
    .replace(/(:\d\d),(\d+)/, '$1.$2');
  return readTime(iso, utcOffsetMs);
}

/**
 * Reads a training session of Polar Flow: a header with its values, then a second header with the rows. Times of the rows
 * are relative to the start, which is a local time.
 */
export async function* readPolarCsv({ chunks, utcOffsetMs }: Recording): AsyncGenerator<readonly Item[]> {
  const broken: Item[] = [];
  const { rows, delimiter } = await openRows(chunks, () => broken.push(brokenRow));
  const summaryTitles = ((await rows.next()).value?.record ?? []).map(normalize);
  const summary: readonly string[] = (await rows.next()).value?.record ?? [];
  const [day = '', month = '', year = ''] = (summary[summaryTitles.indexOf('date')] ?? '').split('-');
  const start = readTime(`${year}-${month}-${day} ${summary[summaryTitles.indexOf('start_time')] ?? ''}`, utcOffsetMs);
  if (Number.isNaN(start))
    throw new Error('line 2: no Date (DD-MM-YYYY) and Start time (HH:MM:SS): pass the CSV of Polar Flow unchanged');
  const titles = ((await rows.next()).value?.record ?? []).map(normalize);
  const time = titles.indexOf('time');
  const mapped = findColumns(titles, listMappings('polar-csv'));
  if (time < 0 || mapped.length === 0)
    throw new Error('line 3: no columns Time and HR (bpm): the session was recorded without a heart rate sensor');
  const activity = classifySport(summary[summaryTitles.indexOf('sport')]);
  for await (const { record } of rows)
    yield listItems(record, mapped, { atMs: start + readDuration(record[time] ?? ''), activity }, delimiter);
  yield broken;
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

/** Returns the values of a row. An empty cell means that nothing was measured. */
function listItems(
  record: readonly string[],
  columns: readonly Column[],
  shared: Omit<Measurement, 'field' | 'value'>,
  delimiter: Delimiter,
): Item[] {
  return columns.flatMap(({ index, mapping }) => {
    const value = readCell(record[index], delimiter);
    return value === undefined ? [] : [{ ...shared, field: mapping.field, value: value * mapping.factor }];
  });
}

/** Returns the ms of a duration such as `01:30:00`. NaN if the text is not one. */
function readDuration(text: string): number {
  const isDuration = /^\d{1,3}(:[0-5]\d){2}$/.test(text);
  const [hours = 0, minutes = 0, seconds = Number.NaN] = isDuration ? text.split(':').map(Number) : [];
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
