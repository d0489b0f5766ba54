import { parse } from 'csv-parse/sync';
import { bounds, timestamps } from '../../generated/spec.js';
import type { Submission } from '../../src/contract.js';

/** The signals that a recording may carry: the numbers of a submission, with the bounds of the contract. */
type Signal = keyof typeof bounds.SignalSubmission;
export const signals = Object.keys(bounds.SignalSubmission) as readonly Signal[];

export interface Clamp {
  readonly signal: Signal;
  readonly recorded: number;
  readonly sent: number;
}

/** One recorded window: a row of the file. */
export interface RecordedWindow {
  /** Line in the file, from 1, the header included. */
  readonly line: number;
  readonly subject: string;
  readonly task: string;
  readonly label: string;
  readonly values: Pick<Submission, Signal>;
  readonly clamped: readonly Clamp[];
}

/** How windows that were recorded one after the other are stamped, where the service's age limit leaves room. */
const spacingSeconds = 24;
/** Left to the age limit, so that a slow answer does not make the next window too old. */
const slackSeconds = 30;

/** The rows of a CSV text; throws with one line that names the place when it cannot be read. */
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
  if (missing.length > 0) throw new Error(`it needs rows with the columns ${missing.join(', ')}`);
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

/** Undefined where nothing was recorded; statistics tools write that as NaN or NA. */
function readNumber(text: string | undefined, place: string): number | undefined {
  if (text === undefined || /^(nan|na)?$/i.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`${place}: "${text}" is no number`);
  return number;
}

/** The nearest value that the contract allows. */
export function clampToContract(signal: Signal, value: number): number {
  const { minimum, maximum } = bounds.SignalSubmission[signal];
  return Math.min(maximum, Math.max(minimum, value));
}

/** The windows of each subject, in the order of the file. */
export function groupBySubject(windows: readonly RecordedWindow[]): ReadonlyMap<string, readonly RecordedWindow[]> {
  const groups = new Map<string, RecordedWindow[]>();
  for (const window of windows) {
    const group = groups.get(window.subject);
    if (group) group.push(window);
    else groups.set(window.subject, [window]);
  }
  return groups;
}

/** Instants, epoch ms, of `count` windows, the last one now; closer together when many must fit the age limit. */
export function stampsUntil(nowMs: number, count: number): number[] {
  const room = (timestamps.max_age_seconds - slackSeconds) / Math.max(1, count - 1);
  const spacingMs = Math.min(spacingSeconds, room) * 1000;
  return Array.from({ length: count }, (_, index) => Math.round(nowMs - (count - 1 - index) * spacingMs));
}
