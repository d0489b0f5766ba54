import { beginTimeline, type Hour, stateMs } from '../../packages/score/summary.js';
import type { SlicedScope } from '../store/scope.js';
import { readSubject, type SubjectReading } from '../store/subject-hours.js';

export interface HoursRequest {
  readonly subjectId: string;
  /** Starts of the first hour, and of the hour after the last one, in epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The time at which the state of the newest reading ends at the latest, in epoch ms. */
  readonly nowMs: number;
  /**
   * Called with the readings in the order of their timestamps, some at a time. If it returns a time in epoch ms, the
   * computation ends there. No reading before that time may follow.
   */
  readonly onRead?: (readings: readonly SubjectReading[]) => number | undefined;
}

/**
 * Computes hours of a subject from its stored readings. Resolves with the hours with data, by their start. `throughMs` is
 * `toMs`, or the earlier time at which `onRead` ended the computation.
 */
export async function computeHours(scope: SlicedScope, { subjectId, fromMs, toMs, nowMs, onRead }: HoursRequest) {
  const timeline = beginTimeline(fromMs, toMs);
  for await (const found of readSubject(scope, subjectId, { fromMs: fromMs - stateMs, toMs })) {
    timeline.add(found);
    const throughMs = onRead?.(found);
    if (throughMs !== undefined) return { hours: hoursBefore(timeline.finish(nowMs), throughMs), throughMs };
  }
  return { hours: timeline.finish(nowMs), throughMs: toMs };
}

function hoursBefore(hours: ReadonlyMap<number, Hour>, beforeMs: number): Map<number, Hour> {
  return new Map([...hours].filter(([startMs]) => startMs < beforeMs));
}
