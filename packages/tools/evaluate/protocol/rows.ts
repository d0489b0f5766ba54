import type { RecordedWindow } from '../../recordings/recorded-window.js';

/** A row that a method scores from its signals and the earlier rows of the person. */
export interface Row {
  /** The person and the place in their recording, e.g. `p1:30`. */
  readonly id: string;
  /** Rows of one group are resampled together. */
  readonly group: string;
  /** Absent for a row that is scored, but not compared. */
  readonly side?: 'stressor' | 'rest' | undefined;
  /** The AUC compares the mean score of the rows of a unit. */
  readonly unit: string;
  readonly window: RecordedWindow;
}

/** Seconds between two rows of a recording without times. */
export const spacingSeconds = 120;

/** Returns rows that are compared one by one, with intervals over people. */
export function toRows(windows: readonly RecordedWindow[], findSide: (window: RecordedWindow) => Row['side']): Row[] {
  return windows.map((window) => {
    const id = String(window.line);
    return { id, group: window.subject, side: findSide(window), unit: id, window };
  });
}
