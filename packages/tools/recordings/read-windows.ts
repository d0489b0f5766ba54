import { parse } from 'csv-parse/sync';
import { type Delimiter, findDelimiter, readCell } from '../../recordings/csv-rows.js';
import { describeNames, printable, shown } from '../../recordings/names.js';
import { clampToContract, type Signal, signals, type Submission } from '../../recordings/signals.js';
import { readTime } from '../../recordings/times.js';
import type { Clamp, RecordedWindow, TextRole } from './recorded-window.js';

/** Longest recording of a subject, s. */
const spanSecondsMax = 366 * 86_400;
/** Numbers from here on are Unix milliseconds. As seconds, they would be after the year 5000. */
const epochMsMin = 1e11;

const textRoles: readonly TextRole[] = ['user_message', 'ai_response'];

/** Limits the memory for a cell whose quotation mark is never closed, bytes. */
const csvOptions = { bom: true, trim: true, info: true, skip_empty_lines: true, max_record_size: 65_536 } as const;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** A column with a meaning. */
export type ColumnRole = 'subject' | 'task' | 'label' | 'time' | TextRole | Signal;

export interface RecordingFormat {
  /** Names of the columns in the file. A column without an entry has the name of its role. */
  readonly names: Readonly<Partial<Record<ColumnRole, string>>>;
  readonly required: readonly ColumnRole[];
  /** Columns that are read if the file has them. */
  readonly optional: readonly ColumnRole[];
  /** True if rows may be in any order and a time may repeat, as in an export. Rows without a subject are left out. */
  readonly isUnordered?: boolean;
}

const replayFormat: RecordingFormat = {
  names: {},
  required: ['subject', 'task', 'label'],
  optional: [...signals, ...textRoles],
};

/**
 * Parses a CSV text with commas, semicolons or tabs. A file without the column `subject` is of one person, and one
 * without `task` has one task per label. Throws an error of one line that names the place of the first problem.
 */
export function readWindows(csv: string, format: RecordingFormat = replayFormat): RecordedWindow[] {
  const delimiter = findDelimiter(csv);
  // The library's types do not cover `info` without `columns`. It rejects a row with another number of cells.
  const [header, ...rows] = parse(csv, { ...csvOptions, delimiter }) as unknown as readonly Row[];
  const places = findPlaces(header?.record ?? [], format);
  const times = new Map<string, Moment>();
  return inOrder(rows, places, format).map(({ record, info }) => {
    const readText = (role: ColumnRole) => record[places.get(role) ?? -1];
    return timed(toWindow(readText, info.lines, format, delimiter), readText('time'), times, format);
  });
}

/** Sorts the rows of an unordered file by time. */
function inOrder(
  rows: readonly Row[],
  places: Map<ColumnRole, number>,
  { isUnordered }: RecordingFormat,
): readonly Row[] {
  const [subject, time] = [places.get('subject'), places.get('time')];
  if (!isUnordered || time === undefined) return rows;
  const named = rows.filter(({ record }) => subject === undefined || record[subject] !== '');
  const seconds = new Map(named.map((row) => [row, readSeconds(row.record[time] ?? '', `line ${row.info.lines}`)]));
  return named.sort((a, b) => (seconds.get(a) ?? 0) - (seconds.get(b) ?? 0));
}

/** Returns the index of each column of the format that the header has. */
function findPlaces(
  header: readonly string[],
  { names, required, optional }: RecordingFormat,
): Map<ColumnRole, number> {
  const toColumn = (role: ColumnRole) => names[role] ?? role;
  const missing = required.map(toColumn).filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new Error(`the file must have the columns ${missing.join(', ')}. Its columns: ${describeNames(header)}`);
  const places = new Map<ColumnRole, number>();
  for (const role of [...required, ...optional]) {
    const place = header.indexOf(toColumn(role));
    if (place !== header.lastIndexOf(toColumn(role))) throw new Error(`the file has two columns ${toColumn(role)}`);
    if (place >= 0) places.set(role, place);
  }
  return places;
}

function toWindow(
  cellOf: (role: ColumnRole) => string | undefined,
  line: number,
  { names }: RecordingFormat,
  delimiter: Delimiter,
): RecordedWindow {
  const [subject, label] = [cellOf('subject'), cellOf('label')].map((it) => it && printable(it));
  if (subject === '') throw new Error(`line ${line} has no subject`);
  const values: Pick<Submission, Signal> = {};
  const clamped: Clamp[] = [];
  for (const signal of signals) {
    const recorded = readNumber(cellOf(signal), delimiter, `line ${line}, ${names[signal] ?? signal}`);
    if (recorded === undefined) continue;
    const sent = clampToContract(signal, recorded);
    values[signal] = sent;
    if (sent !== recorded) clamped.push({ signal, recorded, sent });
  }
  const task = printable(cellOf('task') ?? label ?? '');
  const texts = textRoles.map((role) => [role, cellOf(role)] as const).filter(([, text]) => text);
  return { line, subject: subject ?? '1', task, label: label ?? '', values, texts: Object.fromEntries(texts), clamped };
}

/** The times of the first and the newest row of a subject, in seconds. */
interface Moment {
  readonly first: number;
  readonly newest: number;
  readonly line: number;
}

/** Adds the time of a window. Throws an error if the times of a subject do not ascend or span many years. */
function timed(
  window: RecordedWindow,
  text: string | undefined,
  times: Map<string, Moment>,
  { isUnordered }: RecordingFormat,
): RecordedWindow {
  if (text === undefined) return window;
  const { line, subject } = window;
  const newest = readSeconds(text, `line ${line}`);
  const before = times.get(subject);
  if (before && newest <= before.newest && !isUnordered)
    throw new Error(`line ${line}: the time of subject ${subject} is not after that of line ${before.line}`);
  const second = newest - (before?.first ?? newest);
  if (second > spanSecondsMax)
    throw new Error(`line ${line}: the time is more than a year after that of the first row`);
  times.set(subject, { first: before?.first ?? newest, newest, line });
  return { ...window, second, ...(isUnordered && { atMs: newest * 1000 }) };
}

/** Returns a time in seconds. A date-time without a zone is UTC. */
function readSeconds(text: string, place: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) >= epochMsMin ? Number(text) / 1000 : Number(text);
  const atMs = readTime(text.toUpperCase());
  if (Number.isNaN(atMs))
    throw new Error(`${place}: "${shown(text)}" is not a time: use seconds, Unix milliseconds or 2026-11-21T09:30:00Z`);
  return atMs / 1000;
}

function readNumber(text: string | undefined, delimiter: Delimiter, place: string): number | undefined {
  const number = readCell(text, delimiter);
  if (number !== undefined && !Number.isFinite(number))
    throw new Error(`${place}: "${shown(text ?? '')}" is not a number`);
  return number;
}
