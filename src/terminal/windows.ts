import { parse } from 'csv-parse/sync';
import { bounds, timestamps } from '../../generated/spec.js';
import type { Submission } from '../contract.js';

/** The numeric signals of a submission, with the bounds of the contract. */
type Signal = keyof typeof bounds.SignalSubmission;
export const signals = Object.keys(bounds.SignalSubmission) as readonly Signal[];

export interface Clamp {
  readonly signal: Signal;
  readonly recorded: number;
  readonly sent: number;
}

/** One recorded window: a row of the file. */
export interface RecordedWindow {
  /** Line number in the file. The header is line 1. */
  readonly line: number;
  readonly subject: string;
  readonly task: string;
  readonly label: string;
  readonly values: Pick<Submission, Signal>;
  readonly clamped: readonly Clamp[];
}

/** Seconds between the timestamps of consecutive windows, unless the service's age limit requires less. */
const spacingSeconds = 24;
/** Margin below the age limit, s. It prevents a slow response from making the next window too old. */
const slackSeconds = 30;

/** Parses a CSV text. Throws an error of one line that names the place of the first problem. */
export function readWindows(csv: string): RecordedWindow[] {
  const rows = parse<{ record: Record<string, string>; info: { lines: number } }>(csv, {
    columns: true,
    bom: true,
    trim: true,
    info: true,
    skip_empty_lines: true,
  });
  const titles = Object.keys(rows[0]?.record ?? {});
  const missing = ['subject', 'task', 'label'].filter((title) => !titles.includes(title));
  if (missing.length > 0) throw new Error(`the file must have the columns ${missing.join(', ')}`);
  return rows.map(({ record, info }) => toWindow(record, info.lines));
}

function toWindow(record: Record<string, string>, line: number): RecordedWindow {
  const { subject = '', task = '', label = '' } = record;
  if (subject === '') throw new Error(`line ${line} has no subject`);
  const values: Pick<Submission, Signal> = {};
  const clamped: Clamp[] = [];
  for (const signal of signals) {
    const recorded = readNumber(record[signal], `line ${line}, ${signal}`);
    if (recorded === undefined) continue;
    const sent = clampToContract(signal, recorded);
    values[signal] = sent;
    if (sent !== recorded) clamped.push({ signal, recorded, sent });
  }
  return { line, subject, task, label, values, clamped };
}

/** Returns the number in a cell. Undefined for an empty cell, and for NaN and NA, which statistics tools write. */
function readNumber(text: string | undefined, place: string): number | undefined {
  if (text === undefined || /^(nan|na)?$/i.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`${place}: "${text}" is not a number`);
  return number;
}

/** Returns the nearest value that the contract allows for the signal. */
export function clampToContract(signal: Signal, value: number): number {
  const { minimum, maximum } = bounds.SignalSubmission[signal];
  return Math.min(maximum, Math.max(minimum, value));
}

/** Returns the windows by subject, in the order of the file. */
export function groupBySubject(windows: readonly RecordedWindow[]): ReadonlyMap<string, readonly RecordedWindow[]> {
  const groups = new Map<string, RecordedWindow[]>();
  for (const window of windows) {
    const group = groups.get(window.subject);
    if (group) group.push(window);
    else groups.set(window.subject, [window]);
  }
  return groups;
}

/**
 * Returns the timestamps of `count` windows, epoch ms. The last timestamp is the current time. The more windows, the
 * closer they are.
 */
export function stampsUntil(nowMs: number, count: number): number[] {
  const room = (timestamps.max_age_seconds - slackSeconds) / Math.max(1, count - 1);
  const spacingMs = Math.min(spacingSeconds, room) * 1000;
  return Array.from({ length: count }, (_, index) => Math.round(nowMs - (count - 1 - index) * spacingMs));
}
