import { signals as contract } from '../../../generated/spec.js';
import type { RecordedReading } from '../../recordings/minutes.js';
import type { Signal, Submission } from '../../recordings/signals.js';
import { groupBy } from '../group-by.js';

/** Returns the recorded signals that allow a score. Context and stored signals allow none. */
export function findScored(values: RecordedWindow['values']): (keyof RecordedWindow['values'])[] {
  return (Object.keys(values) as (keyof RecordedWindow['values'])[]).filter(
    (name) => name !== 'source_device' && contract[name].use === 'evidence',
  );
}

export interface Clamp {
  readonly signal: Signal;
  readonly recorded: number;
  readonly sent: number;
}

/** One recorded window: a row of the file, or a minute of a recording of a device. */
export interface RecordedWindow {
  /** Line number in the file. The header is line 1. In a recording of a device, the number of the reading. */
  readonly line: number;
  /** Time of measurement in a recording of a device or in an export, epoch ms. */
  readonly atMs?: number;
  /** Part of a recording of a device that is one session. */
  readonly part?: string;
  readonly subject: string;
  readonly task: string;
  readonly label: string;
  /** Seconds since the first window of the subject. Absent in a recording without times. */
  readonly second?: number;
  readonly values: Pick<Submission, Signal | 'rr_intervals_ms' | 'activity_level' | 'source_device'>;
  /** Texts of the columns `user_message` and `ai_response`, if they are not empty. */
  readonly texts?: Pick<Submission, TextRole>;
  readonly clamped: readonly Clamp[];
  /** Numbers of measurements in a recording of a device, by field. */
  readonly counts?: RecordedReading['counts'];
}

export type TextRole = 'user_message' | 'ai_response';

/** Returns the windows by subject, in the order of the file. */
export function groupBySubject(windows: readonly RecordedWindow[]): ReadonlyMap<string, readonly RecordedWindow[]> {
  return groupBy(windows, ({ subject }) => subject);
}
