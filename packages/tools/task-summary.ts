import { enums } from '../../generated/spec.js';
import type { StateReading } from '../client/src/index.js';
import { quantile } from './terminal/quantile.js';
import type { Column, TableRow } from './terminal/table.js';
import type { RecordedWindow } from './recordings/recorded-window.js';

/** A window and the state in its response. */
export interface AnsweredWindow {
  readonly window: RecordedWindow;
  readonly reading: Pick<StateReading, 'state' | 'stress_score'> & Partial<Pick<StateReading, 'topics_detected'>>;
}

export const summaryColumns: readonly Column[] = [
  { title: 'task' },
  { title: 'label' },
  ...['readings', ...enums.State, 'mean', 'median'].map((title) => ({ title, align: 'right' }) as const),
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
  const shares = enums.State.map((state) =>
    share(answered.filter(({ reading }) => reading.state === state).length, answered.length),
  );
  const scores = answered.map(({ reading }) => reading.stress_score).sort((a, b) => a - b);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return [task, label, String(scores.length), ...shares, points(mean), points(quantile(scores, 0.5))];
}

function share(count: number, of: number): string {
  return count === 0 ? '·' : `${Math.round((count / of) * 100)} %`;
}

function points(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(1);
}
