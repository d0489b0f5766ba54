/**
 * Sends a recording to a running service over HTTP, one session per person, and prints the states per task. Standard
 * output contains only the table. The exit code is 1 if the service rejected a row.
 */
import { randomBytes } from 'node:crypto';
import { timestamps } from '../../generated/spec.js';
import { groupBySubject, type RecordedWindow } from './recordings/recorded-window.js';
import { withProgress } from './terminal/progress.js';
import { formatTable, type TableFormat } from './terminal/table.js';
import { type AnsweredWindow, summarize, summaryColumns } from './task-summary.js';
import { loadRecording, type RecordingOptions } from './recordings/load-recording.js';
import { type Answer, createSend, createSendBatch, type Send, type SendBatch } from './send.js';
import type { ServiceOptions } from './service.js';

const refusalsShown = 10;
const subjectsAtOnce = 8;
/** Lines per batch. With more lines, the progress would seem to stop between responses. */
const linesPerBatch = 500;
/** Seconds between the timestamps of consecutive windows, unless the service's age limit requires less. */
const spacingSeconds = 24;
/** Margin below the age limit, s. It prevents a slow response from making the next window too old. */
const slackSeconds = 30;

export type ReplayOptions = RecordingOptions & ServiceOptions & TableFormat;

export async function replay(options: ReplayOptions): Promise<void> {
  const { backfill } = options;
  const stop = new AbortController();
  // Created before the recording is read, because a missing key throws.
  const send = createSend(options, stop.signal);
  const windows = await loadRecording(options);
  const names = createNames(options.subject);
  try {
    const outcome = await withProgress(windows.length, 'readings', ({ advance, wait }) =>
      backfill
        ? backfillAll(windows, createSendBatch(options, stop.signal, wait), names, advance)
        : sendAll(windows, send, names, advance),
    );
    console.log(formatTable(options, summaryColumns, summarize(windows, outcome.answered)));
    report(windows, outcome.refused);
    if (backfill && outcome.answered.length > 0) console.error(`Dashboard: ${personPage(options, names, windows)}`);
  } finally {
    stop.abort();
  }
}

/** Returns the URL of the dashboard's page of the person. */
function personPage({ url }: ReplayOptions, names: Names, [first]: readonly RecordedWindow[]): string {
  return `${url}/dashboard/#/subjects/${encodeURIComponent(first ? names(first).subject_id : '')}`;
}

interface Outcome {
  readonly answered: AnsweredWindow[];
  readonly refused: { readonly window: RecordedWindow; readonly reason: string }[];
}

type Names = (window: RecordedWindow) => { session_id: string; subject_id: string };

/**
 * Returns the names of sessions and subjects. The subject id is unique per run, because a baseline from an earlier run
 * would change the result, unless the caller names the subject.
 */
function createNames(subject: string | undefined): Names {
  const run = randomBytes(4).toString('hex');
  return (window) => {
    const subjectId = subject ?? `replay-${run}-${window.subject}`;
    return { session_id: window.part === undefined ? subjectId : `${subjectId}-${window.part}`, subject_id: subjectId };
  };
}

/**
 * Sends the windows of different people in parallel, and those of one person in order. Each session gets the current time
 * when it begins.
 */
async function sendAll(
  windows: readonly RecordedWindow[],
  send: Send,
  names: Names,
  onSent: () => void,
): Promise<Outcome> {
  const outcome: Outcome = { answered: [], refused: [] };
  const sendSession = async (session: readonly RecordedWindow[]) => {
    const stamps = stampsUntil(Date.now(), session.length);
    for (const [index, window] of session.entries()) {
      const timestamp = new Date(stamps[index] ?? Date.now()).toISOString();
      note(outcome, window, await send({ ...names(window), timestamp, ...window.values, ...window.texts }));
      onSent();
    }
  };
  const waiting = groupBySubject(windows).values();
  const sendNext = async () => {
    for (const group of waiting)
      for (const part of new Set(group.map((it) => it.part))) await sendSession(group.filter((it) => it.part === part));
  };
  await Promise.all(Array.from({ length: subjectsAtOnce }, sendNext));
  return outcome;
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

/**
 * Sends the windows with the times of the recording, oldest first. The first request contains only the oldest window, so
 * that a recording before the retention of the service is rejected before anything is stored.
 */
async function backfillAll(
  windows: readonly RecordedWindow[],
  send: SendBatch,
  names: Names,
  onSent: () => void,
): Promise<Outcome> {
  const outcome: Outcome = { answered: [], refused: [] };
  for (let from = 0, count = 1; from < windows.length; from += count, count = linesPerBatch) {
    const part = windows.slice(from, from + count);
    const lines = part.map((window) => {
      const timestamp = new Date(window.atMs ?? Date.now()).toISOString();
      return { ...names(window), timestamp, backfill: true, ...window.values };
    });
    for (const [index, answer] of (await send(lines)).entries()) {
      const window = part[index];
      if (from === 0 && 'code' in answer && answer.code === 'timestamp_too_old') throw beforeRetention(window);
      if (window) note(outcome, window, answer);
      onSent();
    }
  }
  return outcome;
}

const hourMs = 3_600_000;
/** Maximum of RETENTION_READINGS_HOURS. */
const retentionHoursMax = 87_600;

/** Returns the error for a recording whose oldest window is older than the retention of the service. */
function beforeRetention(oldest: RecordedWindow | undefined): Error {
  const atMs = oldest?.atMs ?? 0;
  // Whole days, with at least an hour for the import, because the service deletes readings of this age.
  const hours = Math.ceil(((Date.now() - atMs) / hourMs + 1) / 24) * 24;
  const remedy =
    hours > retentionHoursMax
      ? 'no retention is that long, so replay it without --backfill'
      : `restart the service with RETENTION_READINGS_HOURS=${hours}, which keeps its data, or send fewer hours with --hours`;
  return new Error(
    `the recording begins at ${new Date(atMs).toISOString()}, before the retention of the service: ${remedy}`,
  );
}

function note({ answered, refused }: Outcome, window: RecordedWindow, answer: Answer): void {
  // Keeps three fields, because a response has about 2 kB.
  if ('reading' in answer) {
    const { state, stress_score, topics_detected } = answer.reading;
    answered.push({ window, reading: { state, stress_score, topics_detected } });
  } else refused.push({ window, reason: answer.refusal });
}

function report(windows: readonly RecordedWindow[], refused: Outcome['refused']): void {
  const people = groupBySubject(windows).size;
  console.error(`\n${count(windows.length, 'reading')} of ${people === 1 ? '1 person' : `${people} people`} sent.`);
  const clamps = windows.flatMap((window) =>
    window.clamped.map(({ signal, recorded, sent }) => `${describe(window)}: ${signal} ${recorded} sent as ${sent}`),
  );
  if (clamps.length > 0) console.error(`Clamped to the bounds of the contract: ${count(clamps.length, 'value')}.`);
  for (const clamp of clamps) console.error(`  ${clamp}`);
  if (refused.length === 0) return;
  process.exitCode = 1;
  console.error(`Rejected: ${count(refused.length, 'reading')}.`);
  for (const { window, reason } of refused.slice(0, refusalsShown)) console.error(`  ${describe(window)}: ${reason}`);
  if (refused.length > refusalsShown) console.error(`  and ${refused.length - refusalsShown} more`);
}

function describe({ line, atMs, subject, task }: RecordedWindow): string {
  return atMs === undefined ? `line ${line} (${subject}, ${task})` : new Date(atMs).toISOString();
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
