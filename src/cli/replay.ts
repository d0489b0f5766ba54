/**
 * Sends a recording to a running service over HTTP, one session per person, and prints the states per task. Standard
 * output contains only the table. The exit code is 1 if the service rejected a row.
 */
import { groupBySubject, type RecordedWindow } from '../recordings/recorded-window.js';
import { createSend, createSendBatch } from '../terminal/client.js';
import { startProgress } from '../terminal/progress.js';
import { drawReplay, type TimedAnswer } from '../terminal/replay-timeline.js';
import { requireWritable, save } from '../terminal/save.js';
import { requireKey } from '../terminal/service.js';
import { markdownTable, textTable } from '../terminal/table.js';
import { summarize, summaryColumns } from '../terminal/task-summary.js';
import { loadRecording, type RecordingOptions } from './replay/load-recording.js';
import { backfillAll, namesFor, type Refusal, sendAll } from './replay/send-recording.js';

const refusalsShown = 10;
const peopleListed = 20;

export interface ReplayOptions extends RecordingOptions {
  readonly url: string;
  readonly key?: string;
  readonly markdown: boolean;
  /** Path of an SVG of one person. */
  readonly plot?: string;
  /** Person in the plot. Default: the first person of the recording. */
  readonly person?: string;
}

export async function replay(options: ReplayOptions): Promise<void> {
  const { url, markdown, backfill } = options;
  const key = requireKey(options.key);
  const windows = await loadRecording(options);
  const person = personIn(windows, options.person);
  if (options.plot !== undefined) await requireWritable('--plot', options.plot);
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
  await save(path, drawReplay(person, ofPerson), '--plot');
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
