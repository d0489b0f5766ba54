import { enums } from '../../generated/spec.js';
import type { StateReading } from '../client/src/index.js';
import { quantile } from './terminal/quantile.js';
import { type Column, figureColumns, type TableRow } from './terminal/table.js';
import type { RecordedWindow } from './recordings/recorded-window.js';
import type { Answer } from './send-batch.js';

/** A window and the state in its response. */
export interface AnsweredWindow {
  readonly window: RecordedWindow;
  readonly reading: Pick<StateReading, 'state' | 'stress_score'> &
    Partial<Pick<StateReading, 'topics_detected' | 'evidence'>>;
}

/** What happened to readings with a sample. `unchanged` are stored already. */
export type Samples = Record<'stored' | 'replaced' | 'unchanged', number>;

/** What the service did with the readings of a recording. */
export interface Outcome {
  readonly answered: AnsweredWindow[];
  /** Those without a window are facts. */
  readonly refused: { readonly window?: RecordedWindow; readonly reason: string }[];
  /** Numbers of the readings of a history. Undefined for current readings. */
  readonly samples: Samples | undefined;
  /** Number of stored facts. */
  facts: number;
}

export function createOutcome(samples?: Samples): Outcome {
  return { answered: [], refused: [], samples, facts: 0 };
}

/** Adds the response to a reading. */
export function note({ answered, refused, samples }: Outcome, window: RecordedWindow, answer: Answer): void {
  if ('refusal' in answer) return void refused.push({ window, reason: answer.refusal });
  // Keeps few fields, because a response has about 2 kB.
  const { state, stress_score, evidence, topics_detected } = answer.reading;
  answered.push({ window, reading: { state, stress_score, topics_detected, ...(evidence && { evidence }) } });
  if (samples && answer.sample) samples[answer.sample] += 1;
}

export const summaryColumns: readonly Column[] = [
  { title: 'task' },
  { title: 'label' },
  ...figureColumns('readings', ...enums.State, 'mean', 'median'),
];

/** Returns two sections: one row per task in protocol order, then one row per label. */
export function summarize(windows: readonly RecordedWindow[], answered: readonly AnsweredWindow[]): TableRow[][] {
  const labels = [...new Set(windows.map(({ label }) => label))];
  const toRows = (name: string, isOf: (window: RecordedWindow) => boolean) =>
    labels.flatMap((label) => {
      const isIn = (window: RecordedWindow) => window.label === label && isOf(window);
      const answers = answered.filter(({ window }) => isIn(window));
      return windows.some(isIn) ? [toRow(name, label, answers)] : [];
    });
  const ofTasks = protocolOrder(windows).flatMap((name) => toRows(name, ({ task }) => task === name));
  return [ofTasks, toRows('all', () => true)];
}

/**
 * Returns the tasks in the order of the recording. A task that the first subject skipped is placed after its
 * predecessor.
 */
export function protocolOrder(windows: readonly RecordedWindow[]): string[] {
  const tasks: string[] = [];
  const previous = new Map<string, string>();
  for (const { subject, task } of windows) {
    if (!tasks.includes(task)) tasks.splice(tasks.indexOf(previous.get(subject) ?? '') + 1, 0, task);
    previous.set(subject, task);
  }
  return tasks;
}

function toRow(task: string, label: string, answered: readonly AnsweredWindow[]): TableRow {
  const known = answered.filter(({ reading }) => !reading.evidence).map(({ reading }) => reading);
  const shares = enums.State.map((state) =>
    share(known.filter((reading) => reading.state === state).length, answered.length),
  );
  const scores = known.map(({ stress_score }) => stress_score).sort((a, b) => a - b);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return [task, label, String(answered.length), ...shares, points(mean), points(quantile(scores, 0.5))];
}

function share(count: number, of: number): string {
  return count === 0 ? '·' : `${Math.round((count / of) * 100)} %`;
}

function points(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(1);
}
