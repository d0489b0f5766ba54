/**
 * Sends a recording to a running service over HTTP, one session per person, and prints the states per task. Standard
 * output contains only the table. The exit code is 1 if the service rejected a row.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSend, keyRemedy, type Send } from '../terminal/client.js';
import { startProgress } from '../terminal/progress.js';
import { markdownTable, textTable } from '../terminal/table.js';
import { type AnsweredWindow, summarize, summaryColumns } from '../terminal/task-summary.js';
import { groupBySubject, type RecordedWindow, readWindows, stampsUntil } from '../terminal/windows.js';

const subjectsAtOnce = 8;
const refusalsShown = 10;

export interface ReplayOptions {
  readonly file: string;
  readonly url: string;
  readonly key?: string;
  readonly markdown: boolean;
}

interface Refusal {
  readonly window: RecordedWindow;
  readonly reason: string;
}

interface ReplayOutcome {
  readonly answered: AnsweredWindow[];
  readonly refused: Refusal[];
}

export async function replay({ file, url, key, markdown }: ReplayOptions): Promise<void> {
  // Checked here, because the error message of commander would contain the malformed key.
  if (!key || !/^[!-~]+$/.test(key)) throw new Error(`no usable key: ${keyRemedy}`);
  const windows = await load(file);
  const stop = new AbortController();
  const progress = startProgress(process.stderr, windows.length, 'windows');
  try {
    const send = createSend({ url, key, signal: stop.signal });
    const outcome = await sendAll(windows, send, progress.advance);
    progress.stop();
    const sections = summarize(windows, outcome.answered);
    console.log((markdown ? markdownTable : textTable)(summaryColumns, sections));
    report(windows, outcome.refused);
  } finally {
    progress.stop();
    stop.abort();
  }
}

async function load(file: string): Promise<RecordedWindow[]> {
  try {
    return readWindows(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`cannot read --file ${file}: ${(error as Error).message}`);
  }
}

/** Sends the windows of different people in parallel, and those of one person in order. */
async function sendAll(windows: readonly RecordedWindow[], send: Send, onSent: () => void): Promise<ReplayOutcome> {
  const run = randomBytes(4).toString('hex');
  const outcome: ReplayOutcome = { answered: [], refused: [] };
  const waiting = groupBySubject(windows).entries();
  const sendNext = async () => {
    for (const [subject, group] of waiting) await sendSubject(`replay-${run}-${subject}`, group, send, outcome, onSent);
  };
  await Promise.all(Array.from({ length: subjectsAtOnce }, sendNext));
  return outcome;
}

/**
 * Sends the windows of one person. The subject id is unique per run, because a baseline from an earlier run would
 * change the result.
 */
async function sendSubject(
  name: string,
  windows: readonly RecordedWindow[],
  send: Send,
  { answered, refused }: ReplayOutcome,
  onSent: () => void,
): Promise<void> {
  const stamps = stampsUntil(Date.now(), windows.length);
  for (const [index, window] of windows.entries()) {
    const timestamp = new Date(stamps[index] ?? Date.now()).toISOString();
    const answer = await send({ session_id: name, subject_id: name, timestamp, ...window.values });
    if (answer.kind === 'state') answered.push({ window, reading: answer.reading });
    else refused.push({ window, reason: `${answer.status} ${answer.detail}` });
    onSent();
  }
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

function placeOf({ line, subject, task }: RecordedWindow): string {
  return `line ${line} (${subject}, ${task})`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
