import { signals as contract } from '../../generated/spec.js';
import { type Column, findRoles, readTitle, type Roles, timeColumns, type Title } from './csv-columns.js';
import type { Seen } from './account.js';
import { openRows, readCell, readFirstRows } from './csv-rows.js';
import { listMappings } from './field-map.js';
import { DaySummaryError, NotReadError, type Recording } from './measurement.js';
import { describeNames, shown } from './names.js';
import {
  createClock,
  createOrderFinder,
  createTimeReader,
  isDateAlone,
  isTime,
  readMsOfDay,
  readTime,
} from './times.js';

/** A column with fewer values is not judged by its share of impossible values. */
const judgedFrom = 4;
/** Bounds memory: values of a column that may number the rows, and people that an error lists. */
const [idsMax, peopleListed] = [10_000, 5];
/** Rows that show what a column without a known name is. */
const firstRows = 100;
const dayMs = 86_400_000;
const timeExample = 'e.g. 2026-11-20T09:00:00Z, 20.11.2026 9:00 or 11/20/2026 9:00 AM';

type Cells = readonly string[];

/** Returns a value in the unit of the contract. */
type Convert = (value: number) => number;

/** A column that is read, and how its values are converted: beats in seconds to ms, °F to °C. */
interface Selected {
  readonly column: Column;
  readonly convert: Convert;
}

/** What the whole file decides, so that each row counts in the same way. */
export interface Table {
  /** Number of rows before the values. */
  readonly headerRows: number;
  readonly roles: Roles;
  readonly isOfPerson: (record: Cells) => boolean;
  /** Returns the columns that a row has values in. Undefined for a row of another kind. */
  readonly select: (record: Cells) => readonly Selected[] | undefined;
  /** Epoch ms, or NaN. */
  readonly readRowTime: (record: Cells) => number;
  readonly count: (record: Cells) => Seen;
  /** Titles of columns that are not read. */
  readonly unknown: readonly string[];
  /** What was inferred. */
  readonly notes: readonly string[];
}

/** Reads all rows and decides what the columns mean. Throws an error of one line if the values contradict it. */
export async function surveyTable(recording: Recording): Promise<Table> {
  const first = await readFirstRows(recording.chunks, firstRows);
  // Samsung writes the name of the table before the header, and its prefix before the titles. InfluxDB annotates columns.
  const isSamsung = first[0]?.record[0]?.startsWith('com.samsung.') ?? false;
  const headerRows = isSamsung ? 2 : 1 + first.findIndex(({ record }) => !record[0]?.startsWith('#'));
  const header: Cells = first[headerRows - 1]?.record ?? [];
  const sample = first.slice(headerRows).map(({ record }) => record);
  const written = header.map((it) => readTitle(isSamsung ? it.replace(/^com\.samsung\.health\.\w+\./, '') : it));
  const shifted = findShifted(written, sample);
  const titles = shifted ?? written;
  const roles = findRoles(titles);
  const times = findTimes(titles, header, sample, roles, recording);
  checkHeader(header, times, roles, recording);
  const select = createSelect(roles, recording.name);
  if (!select)
    throw new NotReadError(`no column is known: name the columns like fields of a reading, e.g. heart_rate`, header);
  const people = createPeopleFinder(roles, recording.person);
  const clock = createClockFinder(titles, times, roles, recording);
  const tallies = new Map<Column, Tally>();
  const days = createDayFinder(recording);
  const { rows, delimiter } = await openRows(recording.chunks);
  for (let count = 0; count < headerRows; count += 1) await rows.next();
  const counter = createCounter(shifted ? shifted.map(({ name }) => name) : header, times, roles);
  for await (const { record, line } of rows) {
    if (!people.isChosen(record)) continue;
    clock.add(record, line);
    const columns = select(record) ?? [];
    for (const column of columns) addTo(tallies, column, readCell(record[column.index], delimiter));
    if (days.isDaily())
      days.add(
        clock.text(record),
        columns.filter(({ index }) => record[index]),
        counter.count(record),
      );
  }
  people.check(header[roles.person] ?? '');
  days.check();
  const converts = new Map([...tallies].map(([column, tally]) => [column, judge(column, tally)]));
  return {
    headerRows,
    roles,
    isOfPerson: people.isChosen,
    select: (record) =>
      select(record)?.map((column) => ({ column, convert: converts.get(column) ?? ((value) => value) })),
    readRowTime: clock.decide(),
    count: counter.count,
    unknown: counter.unknown(select),
    notes: [
      ...(times.note === undefined ? [] : [times.note]),
      ...(shifted
        ? [
            `the rows have ${shifted.length} columns: a time and ${shifted.find(({ name }) => name !== 'timestamp')?.name}`,
          ]
        : []),
      ...clock.notes(),
    ],
  };
}

/** A file whose header names more columns than its rows have, as Zepp writes it: a time, and the only known field. */
function findShifted(titles: readonly Title[], sample: readonly Cells[]): Title[] | undefined {
  const fields = findRoles(titles).values;
  const [field] = fields;
  if (!field || fields.length > 1 || titles.length < 3 || sample.some((record) => record.length !== 2))
    return undefined;
  const isRate = (text = '') => /^\d{1,3}(\.\d+)?$/.test(text);
  const at = [0, 1].find((index) => sample.every((it) => isTime(it[index] ?? '') && isRate(it[1 - index])));
  if (at === undefined || sample.length === 0) return undefined;
  const [time, value] = [
    { name: 'timestamp', unit: '' },
    { name: field.title, unit: field.unit },
  ];
  return at === 0 ? [time, value] : [value, time];
}

/** Throws an error if the header has no time, or no people to choose from. */
function checkHeader(header: Cells, times: Times, roles: Roles, recording: Recording): void {
  if (recording.person !== undefined && roles.person < 0)
    throw new Error(`the file has no column of people to choose --person from: ${describeNames(header)}`);
  if (times.ways.length > 0) return;
  if (roles.values.some(({ mapping }) => mapping.field === 'rr_intervals_ms')) {
    if (recording.startMs === undefined) throw needsStart('the beats have no times');
  } else throw new NotReadError('no column with times: name one of the columns timestamp', header);
}

/** Counts the cells with a value, and those that say what others mean. */
function createCounter(header: Cells, times: Times, roles: Roles) {
  const { device, zone, type, unit, activity, person, confidence } = roles;
  const context = new Set([...times.indexes, device, zone, type, unit, activity, person, confidence]);
  const values = new Set(roles.values.map(({ index }) => index));
  return {
    count(record: Cells): Seen {
      let [seen, said] = [0, 0];
      for (const [index, cell] of record.entries()) {
        if (cell === '') continue;
        seen += values.has(index) ? Math.max(1, listBeats(cell).length) : 1;
        if (context.has(index)) said += 1;
      }
      return { seen, context: said };
    },
    /** Returns the titles of columns that are not read. */
    unknown: (select: unknown) =>
      header.filter(
        (title, index) =>
          title !== '' && !context.has(index) && !values.has(index) && !(select && index === roles.value),
      ),
  };
}

/** Finds out whether each column has one value per day, at midnight. */
function createDayFinder({ zone, keep = [] }: Recording) {
  const clock = createClock(zone);
  const read = createTimeReader(createClock(0), 'dmy');
  const known = new Set<string>();
  let [isDaily, rows] = [!keep.includes('day-summary'), 0];
  const all = { seen: 0, context: 0 };
  const isMidnight = (atMs: number) => [0, dayMs].some((ms) => clock(Math.floor(atMs / dayMs) * dayMs + ms) === atMs);
  return {
    isDaily: () => isDaily,
    add(text: string, columns: readonly Column[], { seen, context }: Seen): void {
      if (columns.length === 0 || text === '') return;
      const atMs = isDateAlone(text) ? read(`${text} 00:00`) : read(text);
      rows += 1;
      all.seen += seen;
      all.context += context;
      isDaily = readMsOfDay(text) === 0 || (!Number.isNaN(atMs) && isMidnight(atMs));
      for (const { mapping } of columns) {
        // A date of two orders has no time yet.
        const day = `${mapping.field} ${Number.isNaN(atMs) ? text : Math.round(atMs / dayMs)}`;
        isDaily &&= !known.has(day);
        known.add(day);
      }
    },
    /** Throws an error if all rows are of days. */
    check(): void {
      if (isDaily && rows > 0) throw new DaySummaryError(all);
    },
  };
}

/** Returns the numbers of a list such as `812 820 805` or `[812, 820, 805]`. Empty for a single number. */
export function listBeats(cell = ''): number[] {
  return /^\[?\d+([ ,;]+\d+)+\]?$/.test(cell) && /[ \]]/.test(cell) ? (cell.match(/\d+/g) ?? []).map(Number) : [];
}

export function needsStart(problem: string): Error {
  return new Error(`${problem}: pass the start of the recording, e.g. --start 2026-11-20T09:00:00Z`);
}

/**
 * Returns a function that returns the columns with values of a row. Undefined if no column is known. A column `value` is
 * what the column `type` says, or the heart rate if the file is named after it or is one of Apple Health.
 */
function createSelect(roles: Roles, name: string): ((record: Cells) => readonly Column[] | undefined) | undefined {
  if (roles.values.length > 0) return () => roles.values;
  if (roles.value < 0) return undefined;
  const byType = new Map<string, Column>();
  const [apple, csv] = [listMappings('apple-health'), listMappings('csv')];
  const findColumn = (type: string): Column | undefined => {
    const mapping = apple.get(type) ?? csv.get(readTitle(type).name);
    const known = byType.get(type);
    if (!mapping || known) return known;
    const column = { index: roles.value, title: type, mapping, unit: '' };
    byType.set(type, column);
    return column;
  };
  const isOfHeart = /heart|pulse|bpm|(^|[^a-z])hr([^a-z]|$)/i.test(name) || roles.isApple;
  if (roles.type < 0 && !isOfHeart) return undefined;
  return (record) => {
    const column = findColumn(roles.type < 0 ? 'heart_rate' : (record[roles.type] ?? ''));
    const unit = record[roles.unit] ?? '';
    const isUnit = unit === '' || column?.mapping.field !== 'heart_rate' || /^(bpm|(count|beats?)?\/min)$/i.test(unit);
    return column && isUnit ? [column] : undefined;
  };
}

/** Finds out whether the rows are of several people. */
function createPeopleFinder(roles: Roles, chosen: string | undefined) {
  const people = new Map<string, number>();
  let repeats = false;
  return {
    /** Returns true for a row of the chosen person, and for each row if nobody was chosen. */
    isChosen(record: Cells): boolean {
      const name = record[roles.person] ?? '';
      if (people.size < idsMax && name !== '') people.set(name, (people.get(name) ?? 0) + 1);
      repeats ||= (people.get(name) ?? 0) > 1;
      return chosen === undefined || name === chosen;
    },
    check(title: string): void {
      const names = [...people.keys()].slice(0, peopleListed).map(shown).join(', ');
      if (chosen !== undefined && !people.has(chosen))
        throw new Error(`column ${shown(title)} has no ${shown(chosen)}. It has: ${names}`);
      // A column of ids that never repeat numbers the rows.
      if (chosen !== undefined || people.size < 2 || (roles.isPersonUnclear && !repeats)) return;
      throw new Error(
        `column ${shown(title)} has ${people.size} people (${names}): choose one, e.g. --person ${shown([...people.keys()][0] ?? '')}`,
      );
    },
  };
}

type TimeText = (record: Cells) => string;

/** Where the times are. */
interface Times {
  /** Ways to find the time of a row, the likeliest first. */
  readonly ways: readonly TimeText[];
  readonly indexes: readonly number[];
  /** What was inferred. Undefined if the titles show it. */
  readonly note?: string | undefined;
}

/**
 * Finds the columns of times: those that titles name, or else the only one whose values are times, or a date and a time of
 * day. Throws an error that names them if there are several.
 */
function findTimes(
  titles: readonly Title[],
  header: Cells,
  sample: readonly Cells[],
  roles: Roles,
  { timeColumn }: Recording,
): Times {
  const names = titles.map(({ name }) => name);
  const at =
    (index: number): TimeText =>
    (record) =>
      record[index] ?? '';
  if (timeColumn !== undefined) {
    const index = names.indexOf(readTitle(timeColumn).name);
    if (index < 0) throw new Error(`the file has no column ${shown(timeColumn)}: ${describeNames(header)}`);
    return { ways: [at(index)], indexes: [index] };
  }
  const known = {
    ways: timeTexts(names),
    indexes: names.flatMap((name, index) => (timeColumns.includes(name) ? [index] : [])),
  };
  if (sample.length === 0 || sample.some((record) => known.ways.some((it) => isTime(it(record))))) return known;
  const isIn = (test: (text: string) => boolean) => (index: number) => {
    const cells = sample.map((record) => record[index] ?? '').filter(Boolean);
    return cells.length > 0 && cells.every(test);
  };
  const others = names.map((_, index) => index).filter((index) => !isTaken(index, roles));
  const found = others.filter(isIn((text) => isTime(text) && !isCount(text)));
  const isSame = found.every((index) =>
    sample.every((record) => isSameTime(at(index)(record), at(found[0] ?? 0)(record))),
  );
  if (found.length > 1 && !isSame)
    throw new Error(
      `several columns may be the time (${describeNames(found.map((index) => header[index] ?? ''))}): name one, e.g. --time-column ${shown(header[found[0] ?? 0] ?? '')}`,
    );
  const note = (indexes: readonly number[]) =>
    `time: the column ${describeNames(indexes.map((index) => header[index] ?? ''))}`;
  if (found[0] !== undefined) return { ways: [at(found[0])], indexes: found, note: note([found[0]]) };
  const [dates, clocks] = [others.filter(isIn(isDateAlone)), others.filter(isIn((text) => /^\d\d?:\d\d/.test(text)))];
  const [date, time] = [dates[0], clocks[0]];
  if (date === undefined || dates.length > 1 || clocks.length > 1) return known;
  if (time === undefined) return { ...known, ways: [...known.ways, at(date)], indexes: [date], note: note([date]) };
  const both: TimeText = (record) => `${at(date)(record)} ${at(time)(record)}`;
  return { ways: [both], indexes: [date, time], note: note([date, time]) };
}

/** Returns true for a column whose meaning is known and no time. */
function isTaken(index: number, { values, value, device, zone, type, unit, activity }: Roles): boolean {
  return [value, device, zone, type, unit, activity].includes(index) || values.some((it) => it.index === index);
}

function isSameTime(one: string, other: string): boolean {
  return one === other || readTime(one) === readTime(other);
}

/** Finds the order of the dates. */
function createClockFinder(titles: readonly Title[], { ways }: Times, roles: Roles, recording: Recording) {
  const order = createOrderFinder();
  let times: TimeText | undefined;
  let [unreadable, isElapsed] = ['', false];
  let [start, step] = [Number.NaN, 0];
  const noted: string[] = [];
  return {
    text: (record: Cells) => times?.(record) ?? ways.map((it) => it(record)).find(Boolean) ?? '',
    notes: () => noted,
    add(record: Cells, line: number): void {
      if (!times) {
        // The first row with a time decides, so that all rows count in the same zone.
        times = ways.find((it) => isTime(it(record))) ?? ways.find((it) => isCount(it(record)));
        isElapsed = times !== undefined && !isTime(times(record));
        start = Number(times?.(record));
        const text = ways.map((it) => it(record)).find(Boolean);
        if (!times && text && !unreadable) unreadable = `line ${line}: "${shown(text)}"`;
      }
      if (times) order.add(times(record));
      if (isElapsed && step === 0 && times) step = Math.abs(Number(times(record)) - start) || 0;
    },
    /** Returns the function that reads the time of a row, epoch ms. Throws if the column does not show how. */
    decide(): (record: Cells) => number {
      if (!times && unreadable) throw new Error(`${unreadable} is not a time that is read, ${timeExample}`);
      const text = times ?? (() => '');
      if (ways.length === 0) return createBeatClock(roles, recording.startMs ?? 0);
      if (isElapsed) return createElapsedClock(text, titles, step, recording.startMs);
      const found = recording.dateOrder ?? order.decide();
      if (found === 'unclear')
        throw new Error('the dates may begin with the day, the month or the year: pass --date-order dmy, mdy or ymd');
      if (found === 'contradictory') throw new Error('no order of day, month and year fits to all dates of the file');
      if (found === 'ydm' && !recording.dateOrder) noted.push(`order of dates: ${found}`);
      const read = createTimeReader(createClock(recording.zone), found);
      return (record) => {
        const zone = record[roles.zone] ?? '';
        const atMs = zone === '' ? Number.NaN : read(`${text(record)} ${zone}`);
        return Number.isNaN(atMs) ? read(text(record)) : atMs;
      };
    },
  };
}

/** Returns true for a number that counts from the start of the recording. A date such as 20261120 is none. */
function isCount(text: string): boolean {
  return /^\d{1,8}(\.\d+)?$/.test(text) && !/^(19|20)\d{6}$/.test(text);
}

/** `step` is the first difference of two times. One of 1000 or more is of milliseconds. */
function createElapsedClock(text: TimeText, titles: readonly Title[], step: number, startMs: number | undefined) {
  if (startMs === undefined) throw needsStart('the times count from the start of the recording');
  const isMs =
    step >= 1000 ||
    titles.some(({ name, unit }) => timeColumns.includes(name) && (unit === 'ms' || name.endsWith('_ms')));
  return (record: Cells) => startMs + (text(record) === '' ? Number.NaN : Number(text(record)) * (isMs ? 1 : 1000));
}

/** Each beat ends where the next one begins. */
function createBeatClock({ values }: Roles, startMs: number) {
  const index = values.find(({ mapping }) => mapping.field === 'rr_intervals_ms')?.index ?? -1;
  let atMs = startMs;
  return (record: Cells) => {
    const interval = Number(record[index]) || 0;
    return (atMs += interval < 10 ? interval * 1000 : interval);
  };
}

/** Returns the ways to find the time of a row. A time of day follows its date, also if the date is written with midnight. */
function timeTexts(names: readonly string[]): TimeText[] {
  const read = (name: string): TimeText => {
    const index = names.indexOf(name);
    return (record) => record[index] ?? '';
  };
  const [date, time] = [read('date'), read('time')];
  const inTwo: TimeText = (record) =>
    /^\d\d?:\d\d/.test(time(record)) ? `${date(record).replace(/[T ]\d\d?:[^]*$/, '')} ${time(record)}` : '';
  const known = timeColumns.filter((name) => names.includes(name));
  const hasBoth = names.includes('date') && names.includes('time');
  const before = known.filter((name) => name !== 'time' && name !== 'date').map(read);
  return [
    ...before,
    ...(hasBoth ? [inTwo] : []),
    ...known.filter((name) => name === 'time' || name === 'date').map(read),
  ];
}

/** Numbers of values, of those within the bounds of the contract, and of those within them if they are seconds. */
interface Tally {
  count: number;
  inside: number;
  /** Numbers of values that are possible in another unit, which a field may have. */
  insideAsSeconds: number;
  insideAsFahrenheit: number;
}

const toCelsius: Convert = (value) => ((value - 32) * 5) / 9;

function addTo(tallies: Map<Column, Tally>, column: Column, value: number | undefined): void {
  const { minimum, maximum } = contract[column.mapping.field];
  // Many devices write 0 where they measured nothing.
  if (value === undefined || Number.isNaN(value) || (value === 0 && minimum > 0)) return;
  const tally = tallies.get(column) ?? { count: 0, inside: 0, insideAsSeconds: 0, insideAsFahrenheit: 0 };
  tallies.set(column, tally);
  const isInside = (it: number) => (it >= minimum && it <= maximum ? 1 : 0);
  tally.count += 1;
  tally.inside += isInside(value);
  tally.insideAsSeconds += isInside(value * 1000);
  tally.insideAsFahrenheit += isInside(toCelsius(value));
}

/**
 * Returns how the values of a column are converted: by the unit in its title, or else by the unit in which more of them are
 * possible. Throws if most are impossible, because the column then is something else.
 */
function judge({ title, mapping: { field, factor }, unit }: Column, tally: Tally): Convert {
  const { count, inside, insideAsSeconds, insideAsFahrenheit } = tally;
  const row = contract[field];
  const stated = 'unit' in row ? row.unit : '';
  const hasUnit = /^(ms|s|sec|seconds|°?[cf])$/.test(unit);
  const isSeconds = stated === 'ms' && (hasUnit ? unit !== 'ms' : insideAsSeconds > inside);
  const isFahrenheit = stated === '°C' && (hasUnit ? unit.endsWith('f') : insideAsFahrenheit > inside);
  const possible = isSeconds ? insideAsSeconds : isFahrenheit ? insideAsFahrenheit : inside;
  const outside = count - possible;
  // Steps of a longer interval are above the bound of a minute.
  if (field !== 'steps_last_minute' && count >= judgedFrom && outside * 2 > count)
    throw new Error(
      `column ${title}: ${outside} of ${count} values are outside ${row.minimum} to ${row.maximum}, so it is no ${field}: rename or remove it`,
    );
  if (isFahrenheit) return toCelsius;
  return (value) => value * factor * (isSeconds ? 1000 : 1);
}
