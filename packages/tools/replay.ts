/**
 * Sends a recording to a running service over HTTP and prints the states per task: with current times, or as the history of
 * a person. Standard output contains only the table. The exit code is 1 if the service rejected a row.
 */
import { randomBytes } from 'node:crypto';
import { timestamps } from '../../generated/spec.js';
import type { Fact } from '../recordings/measurement.js';
import type { RecordedReading } from '../recordings/minutes.js';
import { groupBySubject, type RecordedWindow } from './recordings/recorded-window.js';
import { withProgress } from './terminal/progress.js';
import { formatTable, type TableFormat } from './terminal/table.js';
import { createOutcome, note, type Outcome, summarize, summaryColumns } from './task-summary.js';
import { type ImportPlan, planImport, sendHistory } from './import-history.js';
import {
  type LoadedRecording,
  loadRecording,
  recordingSubject,
  type RecordingOptions,
} from './recordings/load-recording.js';
import { createSend, createSending, type Send } from './send.js';
import { type BatchSending, createBatchSender, createFactSender } from './send-batch.js';
import { connect, explain, type ServiceOptions } from './service.js';

const refusalsShown = 10;
const subjectsAtOnce = 8;
/** Seconds between the timestamps of consecutive windows, unless the service's age limit requires less. */
const spacingSeconds = 24;
/** Margin below the age limit, s. It prevents a slow response from making the next window too old. */
const slackSeconds = 30;

export type ReplayOptions = RecordingOptions & ServiceOptions & TableFormat & { readonly dryRun: boolean };

/** Minutes and facts that a dry run prints. */
const shownMax = 5;

export async function replay(options: ReplayOptions): Promise<void> {
  const { backfill, subject } = options;
  if (options.dryRun) return printDryRun(await loadRecording(options));
  const stop = new AbortController();
  // Created before the recording is read, because a missing key throws.
  const send = createSend(options, stop.signal);
  const recording = await loadRecording(options);
  const { windows } = recording;
  const names = createNames(subject);
  const subjectId = names(windows[0] ?? { subject: recordingSubject }).subject_id;
  try {
    const plan = backfill ? await planWindows(recording, subjectId, options) : undefined;
    const outcome = await withProgress(plan?.lines.length ?? windows.length, 'readings', ({ advance, wait }) =>
      plan
        ? sendPlan(plan, createSending(options, stop.signal, wait), advance)
        : sendAll(windows, send, names, advance),
    );
    console.log(formatTable(options, summaryColumns, summarize(windows, outcome.answered)));
    report(windows, plan?.lines.length ?? windows.length, outcome);
    if (plan && outcome.refused.length < plan.lines.length + plan.facts.length)
      console.error(`Dashboard: ${personPage(options, subjectId)}`);
  } finally {
    stop.abort();
  }
}

function printDryRun({ windows, facts }: LoadedRecording): void {
  for (const { atMs, values } of windows.slice(0, shownMax))
    console.log(`${atMs === undefined ? '' : `${new Date(atMs).toISOString()} `}${JSON.stringify(values)}`);
  for (const fact of facts.slice(0, shownMax)) console.log(describeFact(fact));
  const of = facts.length > 0 ? ` and ${count(facts.length, 'fact')}` : '';
  console.error(`Nothing was sent. Without --dry-run: ${count(windows.length, 'reading')}${of}.`);
}

function describeFact({ kind, level, atMs, untilMs }: Fact): string {
  const end = untilMs === undefined ? '' : ` to ${new Date(untilMs).toISOString()}`;
  return `${new Date(atMs).toISOString()}${end} ${kind}${level ? ` ${level}` : ''}`;
}

type RecordedMinute = RecordedWindow & RecordedReading;

/** A person without an id is new. */
async function planWindows({ windows, facts }: LoadedRecording, subjectId: string, options: ReplayOptions) {
  const recorded = windows.filter((it): it is RecordedMinute => it.atMs !== undefined && it.counts !== undefined);
  try {
    const client = options.subject === undefined ? undefined : connect(options);
    return await planImport(recorded, facts, subjectId, client);
  } catch (error) {
    throw explain(error, options.url);
  }
}

async function sendPlan(plan: ImportPlan<RecordedMinute>, sending: BatchSending, onSent: () => void): Promise<Outcome> {
  const outcome = createOutcome({ stored: 0, replaced: 0, unchanged: plan.unchanged });
  await sendHistory(
    plan,
    { sendBatch: createBatchSender(sending), sendFact: createFactSender(sending) },
    (window, answer) => {
      note(outcome, window, answer);
      onSent();
    },
    (refusal) => {
      if (refusal === undefined) outcome.facts += 1;
      else outcome.refused.push({ reason: refusal });
    },
  );
  return outcome;
}

/** Returns the URL of the dashboard's page of the person. */
function personPage({ url }: ReplayOptions, subjectId: string): string {
  return `${url}/dashboard/#/subjects/${encodeURIComponent(subjectId)}`;
}

type Names = (window: Pick<RecordedWindow, 'part' | 'subject'>) => { session_id: string; subject_id: string };

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
  const outcome = createOutcome();
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

function report(windows: readonly RecordedWindow[], sent: number, { samples, facts, refused }: Outcome): void {
  const people = groupBySubject(windows).size;
  console.error(`\n${count(sent, 'reading')} of ${people === 1 ? '1 person' : `${people} people`} sent.`);
  if (samples)
    console.error(
      `${Object.entries(samples)
        .map(([name, number]) => `${number} ${name}`)
        .join(', ')}.`,
    );
  if (facts > 0) console.error(`${count(facts, 'fact')} stored.`);
  const clamps = windows.flatMap((window) =>
    window.clamped.map(({ signal, recorded, sent }) => `${describe(window)}: ${signal} ${recorded} sent as ${sent}`),
  );
  if (clamps.length > 0) console.error(`Clamped to the bounds of the contract: ${count(clamps.length, 'value')}.`);
  for (const clamp of clamps) console.error(`  ${clamp}`);
  if (refused.length === 0) return;
  process.exitCode = 1;
  const readings = refused.filter(({ window }) => window !== undefined);
  if (readings.length > 0) console.error(`Rejected: ${count(readings.length, 'reading')}.`);
  if (readings.length < refused.length) console.error(`Rejected: ${count(refused.length - readings.length, 'fact')}.`);
  for (const { window, reason } of refused.slice(0, refusalsShown))
    console.error(`  ${window ? describe(window) : 'a fact'}: ${reason}`);
  if (refused.length > refusalsShown) console.error(`  and ${refused.length - refusalsShown} more`);
}

function describe({ line, atMs, subject, task }: RecordedWindow): string {
  return atMs === undefined ? `line ${line} (${subject}, ${task})` : new Date(atMs).toISOString();
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
