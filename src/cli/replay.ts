/**
 * Sends a recording to a running service over HTTP, one session per person, and prints the states per task. Standard
 * output contains only the table. The exit code is 1 if the service rejected a row.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Format } from '../recordings/field-map.js';
import { detectFormat } from '../recordings/read-recording.js';
import { type Answer, createSend, createSendBatch, keyRemedy, type Send, type SendBatch } from '../terminal/client.js';
import { startProgress } from '../terminal/progress.js';
import { drawReplay, type TimedAnswer } from '../terminal/replay-timeline.js';
import { save } from '../terminal/save.js';
import { markdownTable, textTable } from '../terminal/table.js';
import { summarize, summaryColumns } from '../terminal/task-summary.js';
import { groupBySubject, type RecordedWindow, readWindows, stampsUntil } from '../terminal/windows.js';
import { loadRecordings } from './device-recordings.js';

const subjectsAtOnce = 8;
const refusalsShown = 10;
const peopleListed = 20;

export interface ReplayOptions {
  /** Files of one recording. A text if the option was not given. */
  readonly file: string | readonly string[];
  readonly url: string;
  readonly key?: string;
  readonly markdown: boolean;
  /** Detected from the content if absent. */
  readonly format?: Format | 'windows';
  /** The newest hours of a recording of a device that are sent. */
  readonly hours: number;
  /** Offset of local times in recordings of devices, ms. */
  readonly utcOffset: number;
  readonly subject?: string;
  /** Sends readings with the times of the recording. */
  readonly backfill: boolean;
  /** Path of an SVG of one person. */
  readonly plot?: string;
  /** Person in the plot. Default: the first person of the recording. */
  readonly person?: string;
}

interface Refusal {
  readonly window: RecordedWindow;
  readonly reason: string;
}

interface ReplayOutcome {
  readonly answered: TimedAnswer[];
  readonly refused: Refusal[];
}

/** Lines per batch. An answer to more lines would take long enough to look like a stop. */
const linesPerBatch = 500;

export async function replay(options: ReplayOptions): Promise<void> {
  const { url, key, markdown, backfill } = options;
  // Checked here, because the error message of commander would contain the malformed key.
  if (!key || !/^[!-~]+$/.test(key)) throw new Error(`no usable key: ${keyRemedy}`);
  const windows = await load(options);
  const person = personIn(windows, options.person);
  const stop = new AbortController();
  const progress = startProgress(process.stderr, windows.length, 'windows');
  try {
    const service = { url, key, signal: stop.signal };
    const names = namesFor(options.subject);
    const outcome = backfill
      ? await backfillAll(windows, createSendBatch(service), names, progress.advance)
      : await sendAll(windows, createSend(service), names, progress.advance);
    progress.stop();
    const sections = summarize(windows, outcome.answered);
    console.log((markdown ? markdownTable : textTable)(summaryColumns, sections));
    report(windows, outcome.refused);
    if (options.plot !== undefined) await savePlot(options.plot, person, outcome.answered);
  } finally {
    progress.stop();
    stop.abort();
  }
}

async function load(options: ReplayOptions): Promise<RecordedWindow[]> {
  const files = [options.file].flat();
  const formats = await Promise.all(
    files.map((file) => naming(file, async () => options.format ?? detectFormat(file))),
  );
  const recordings = files.flatMap((path, index) => {
    const format = formats[index];
    return format && format !== 'windows' ? [{ path, format }] : [];
  });
  if (recordings.length === 0) {
    if (options.backfill) throw new Error('--backfill requires a recording of a device, which has times');
    if (options.subject !== undefined)
      throw new Error('--subject requires a recording of a device: this file names its subjects');
    if (files.length > 1) throw new Error('pass one file with the columns subject, task and label');
    return naming(files[0] ?? '', async () => readWindows(await readFile(files[0] ?? '', 'utf8')));
  }
  if (recordings.length < files.length)
    throw new Error('pass files with the columns subject, task and label separately from recordings of devices');
  return loadRecordings(recordings, options, naming);
}

/** Adds the name of the file to an error. */
async function naming<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`cannot read --file ${file}: ${(error as Error).message}`);
  }
}

/** Returns the person of the plot. Throws an error before anything is sent if the recording does not have the person. */
function personIn(windows: readonly RecordedWindow[], person: string | undefined): string {
  const people = [...groupBySubject(windows).keys()];
  const shown = person ?? people[0] ?? '';
  if (person === undefined || people.includes(person)) return shown;
  const more = people.length > peopleListed ? ', …' : '';
  throw new Error(
    `no --person ${person} in the recording. Subjects: ${people.slice(0, peopleListed).join(', ')}${more}`,
  );
}

async function savePlot(path: string, person: string, answered: readonly TimedAnswer[]): Promise<void> {
  const ofPerson = answered.filter(({ window }) => window.subject === person);
  await save(path, drawReplay(person, ofPerson)).catch((error: Error) => {
    throw new Error(`cannot write --plot ${path}: ${error.message}`);
  });
}

/** Returns the session and the subject id of a window. */
type Names = (window: RecordedWindow) => { session_id: string; subject_id: string };

/**
 * Returns the names of sessions and subjects. The subject id is unique per run, because a baseline from an earlier run
 * would change the result, unless the caller names the subject.
 */
function namesFor(subject: string | undefined): Names {
  const run = randomBytes(4).toString('hex');
  return (window) => {
    const subjectId = subject ?? `replay-${run}-${window.subject}`;
    return { session_id: window.part === undefined ? subjectId : `${subjectId}-${window.part}`, subject_id: subjectId };
  };
}

/** Sends the windows of different people in parallel, and those of one person in order. */
async function sendAll(
  windows: readonly RecordedWindow[],
  send: Send,
  names: Names,
  onSent: () => void,
): Promise<ReplayOutcome> {
  const outcome: ReplayOutcome = { answered: [], refused: [] };
  const waiting = groupBySubject(windows).values();
  const sendNext = async () => {
    for (const group of waiting) await sendSubject(group, send, names, outcome, onSent);
  };
  await Promise.all(Array.from({ length: subjectsAtOnce }, sendNext));
  return outcome;
}

/** Sends the windows of one person. Each session gets the current time when it begins. */
async function sendSubject(
  windows: readonly RecordedWindow[],
  send: Send,
  names: Names,
  outcome: ReplayOutcome,
  onSent: () => void,
): Promise<void> {
  for (const part of new Set(windows.map((it) => it.part))) {
    const session = windows.filter((it) => it.part === part);
    const stamps = stampsUntil(Date.now(), session.length);
    for (const [index, window] of session.entries()) {
      const atMs = stamps[index] ?? Date.now();
      const timestamp = new Date(atMs).toISOString();
      const answer = await send({ ...names(window), timestamp, ...window.values, ...window.texts });
      note(outcome, window, answer, atMs);
      onSent();
    }
  }
}

/** Sends the windows with the times of the recording, oldest first. */
async function backfillAll(
  windows: readonly RecordedWindow[],
  send: SendBatch,
  names: Names,
  onSent: () => void,
): Promise<ReplayOutcome> {
  const outcome: ReplayOutcome = { answered: [], refused: [] };
  for (let from = 0; from < windows.length; from += linesPerBatch) {
    const part = windows.slice(from, from + linesPerBatch);
    const lines = part.map((window) => {
      const timestamp = new Date(window.atMs ?? Date.now()).toISOString();
      return { ...names(window), timestamp, backfill: true, ...window.values };
    });
    const answers = await send(lines);
    part.forEach((window, index) => {
      const answer = answers[index];
      if (answer) note(outcome, window, answer, window.atMs ?? Date.now());
      onSent();
    });
  }
  return outcome;
}

function note({ answered, refused }: ReplayOutcome, window: RecordedWindow, answer: Answer, sentAtMs: number): void {
  // Sessions of a device are sent with overlapping times, so the time of the recording is the better axis.
  if (answer.kind === 'state') answered.push({ window, reading: answer.reading, atMs: window.atMs ?? sentAtMs });
  else refused.push({ window, reason: `${answer.status} ${answer.detail}` });
}

function report(windows: readonly RecordedWindow[], refused: readonly Refusal[]): void {
  const people = groupBySubject(windows).size;
  console.error(`\n${count(windows.length, 'window')} of ${people === 1 ? '1 person' : `${people} people`} sent.`);
  const clamps = windows.flatMap((window) =>
    window.clamped.map(({ signal, recorded, sent }) => `${placeOf(window)}: ${signal} ${recorded} sent as ${sent}`),
  );
  if (clamps.length > 0) console.error(`Clamped to the bounds of the contract: ${count(clamps.length, 'value')}.`);
  for (const clamp of clamps) console.error(`  ${clamp}`);
  if (refused.length === 0) return;
  process.exitCode = 1;
  console.error(`Rejected: ${count(refused.length, 'window')}.`);
  for (const { window, reason } of refused.slice(0, refusalsShown)) console.error(`  ${placeOf(window)}: ${reason}`);
  if (refused.length > refusalsShown) console.error(`  and ${refused.length - refusalsShown} more`);
}

function placeOf({ line, atMs, subject, task }: RecordedWindow): string {
  if (atMs !== undefined) return new Date(atMs).toISOString();
  return `line ${line} (${subject}, ${task})`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
