import { randomBytes } from 'node:crypto';
import { groupBySubject, type RecordedWindow } from '../../recordings/recorded-window.js';
import type { Answer, Send, SendBatch } from '../../terminal/client.js';
import type { TimedAnswer } from '../../terminal/replay-timeline.js';
import { stampsUntil } from './stamps-until.js';

const subjectsAtOnce = 8;
/** Lines per batch. With more lines, the progress would seem to stop between responses. */
const linesPerBatch = 500;

/** A window that the service rejected. */
export interface Refusal {
  readonly window: RecordedWindow;
  readonly reason: string;
}

export interface ReplayOutcome {
  readonly answered: TimedAnswer[];
  readonly refused: Refusal[];
}

/** Returns the session and the subject id of a window. */
export type Names = (window: RecordedWindow) => { session_id: string; subject_id: string };

/**
 * Returns the names of sessions and subjects. The subject id is unique per run, because a baseline from an earlier run
 * would change the result, unless the caller names the subject.
 */
export function namesFor(subject: string | undefined): Names {
  const run = randomBytes(4).toString('hex');
  return (window) => {
    const subjectId = subject ?? `replay-${run}-${window.subject}`;
    return { session_id: window.part === undefined ? subjectId : `${subjectId}-${window.part}`, subject_id: subjectId };
  };
}

/** Sends the windows of different people in parallel, and those of one person in order. */
export async function sendAll(
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
export async function backfillAll(
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
