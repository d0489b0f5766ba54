import type { Seen } from './account.js';
import { findColumns, normalize, readTitle } from './csv-columns.js';
import { type Delimiter, openRows, readCell, readFirstRows, type Row } from './csv-rows.js';
import { listBeats, surveyTable, type Table } from './csv-survey.js';
import { findVendor } from './csv-vendors.js';
import type { Item, Recording } from './measurement.js';
import { activityLevels, classifySport } from './sports.js';
import { createClock, readTime } from './times.js';

const groupSize = 1_000;
const brokenRow = { skipped: 'a row with a misplaced quotation mark', values: 0 };

/**
 * Reads a CSV with a header row, a time in one column or two, and any of the columns in the field map, or a CSV of a vendor
 * that has no such header. Reads the content twice: the whole file decides what its columns mean.
 */
export async function* readCsv(recording: Recording): AsyncGenerator<readonly Item[]> {
  const first = await readFirstRows(recording.chunks, 6);
  const vendor = findVendor(first, recording.name);
  if (vendor) return yield* counting(vendor(recording), recording);
  const table = await surveyTable(recording);
  yield [{ seen: 0, context: 0, unknown: table.unknown }, ...table.notes.map((note) => ({ note }))];
  yield* readRows(
    recording,
    table.headerRows,
    ({ record }, delimiter) => listItems(record, table, delimiter),
    table.count,
  );
}

/** Yields the items of a reader of a vendor, whose other cells say what the values mean, and the number of all cells. */
async function* counting(
  groups: AsyncGenerator<readonly Item[]>,
  { chunks }: Recording,
): AsyncGenerator<readonly Item[]> {
  let [values, seen] = [0, 0];
  for await (const items of groups) {
    for (const item of items) values += 'field' in item ? 1 : 'skipped' in item ? (item.values ?? 1) : 0;
    yield items;
  }
  // Rows of titles, and annotations of InfluxDB, have no values.
  for await (const { record } of (await openRows(chunks)).rows)
    if (/^(?!#|com\.samsung\.).*\d/.test(record.join(' ')))
      for (const cell of record) seen += cell === '' ? 0 : Math.max(1, listBeats(cell).length);
  yield [{ seen, context: Math.max(0, seen - values) }];
}

/** Returns the values of a row. An empty cell means that nothing was measured. */
function listItems(record: readonly string[], table: Table, delimiter: Delimiter): Item[] {
  const { seen, context } = table.count(record);
  if (!table.isOfPerson(record)) return [{ skipped: 'a row of another person', values: seen - context }];
  const { roles, select, readRowTime } = table;
  const columns = select(record);
  if (!columns) return [{ skipped: 'a row of a type or unit that is not read', values: 0 }];
  const activity = activityLevels.find((it) => it === record[roles.activity]);
  const shared = { source: record[roles.device] || undefined, activity };
  const atMs = readRowTime(record);
  const isDoubted = Number(record[roles.confidence]?.replace('%', '') || 'none') === 0;
  return columns.flatMap(({ column, convert }): Item[] => {
    const { field } = column.mapping;
    // Our own export has the beats of a reading in one cell. They end at its time.
    const beats = field === 'rr_intervals_ms' ? listBeats(record[column.index]) : [];
    if (beats.length > 0) return beats.map((value) => ({ ...shared, atMs, field, value: convert(value) }));
    const value = readCell(record[column.index], delimiter);
    // NaN and NA say that nothing was measured.
    if (value === undefined) return record[column.index] ? [{ seen: 0, context: 1 }] : [];
    if (isDoubted && field !== 'steps_last_minute')
      return [{ skipped: `${field} with confidence 0`, as: 'placeholder' }];
    return [{ ...shared, atMs, field, value: convert(value) }];
  });
}

/**
 * Reads a training session of Polar Flow: a header with its values, then a second header with the rows. Times of the rows
 * are relative to the start, which is a local time.
 */
export async function* readPolarCsv(recording: Recording): AsyncGenerator<readonly Item[]> {
  const [summaryHeader, summaryRow, header] = await readFirstRows(recording.chunks, 3);
  const summaryTitles = (summaryHeader?.record ?? []).map(normalize);
  const summary: readonly string[] = summaryRow?.record ?? [];
  const [day = '', month = '', year = ''] = (summary[summaryTitles.indexOf('date')] ?? '').split('-');
  const startTime = summary[summaryTitles.indexOf('start_time')] ?? '';
  const start = readTime(`${year}-${month}-${day} ${startTime}`, createClock(recording.zone));
  if (Number.isNaN(start))
    throw new Error('line 2: no Date (DD-MM-YYYY) and Start time (HH:MM:SS): pass the CSV of Polar Flow unchanged');
  const titles = (header?.record ?? []).map(readTitle);
  const time = titles.findIndex(({ name }) => name === 'time');
  const [rate] = findColumns(titles, 'polar-csv');
  if (time < 0 || !rate)
    throw new Error('line 3: no columns Time and HR (bpm): the session was recorded without a heart rate sensor');
  const activity = classifySport(summary[summaryTitles.indexOf('sport')]);
  yield* readRows(recording, 3, ({ record }, delimiter) => {
    const value = readCell(record[rate.index], delimiter);
    const atMs = start + readDuration(record[time] ?? '');
    return value === undefined ? [] : [{ field: rate.mapping.field, atMs, value, activity }];
  });
}

/** Yields the items of the rows after the first ones, in groups: a group per row would cost more than its parsing. */
async function* readRows(
  { chunks }: Recording,
  headerRows: number,
  list: (row: Row, delimiter: Delimiter) => Item[],
  count: (record: readonly string[]) => Seen = countCells,
): AsyncGenerator<readonly Item[]> {
  let items: Item[] = [];
  let [seen, context] = [0, 0];
  const { rows, delimiter } = await openRows(chunks, () => items.push(brokenRow));
  for (let count = 0; count < headerRows; count += 1) await rows.next();
  for await (const row of rows) {
    items.push(...list(row, delimiter));
    const counted = count(row.record);
    seen += counted.seen;
    context += counted.context;
    if (items.length < groupSize) continue;
    yield items;
    items = [];
  }
  yield [...items, { seen, context }];
}

/** Counts the cells of a row of Polar Flow, whose time is the context of the others. */
function countCells(record: readonly string[]): Seen {
  const seen = record.filter((cell) => cell !== '').length;
  return { seen, context: Math.min(seen, record.slice(0, 2).filter((cell) => /^\d\d:\d\d:\d\d$/.test(cell)).length) };
}

/** Returns the ms of a duration such as `01:30:00`. NaN if the text is not one. */
function readDuration(text: string): number {
  const isDuration = /^\d{1,3}(:[0-5]\d){2}$/.test(text);
  const [hours = 0, minutes = 0, seconds = Number.NaN] = isDuration ? text.split(':').map(Number) : [];
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
