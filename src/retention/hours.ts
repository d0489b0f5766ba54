import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { beginTimeline, type Hour, hourMs, stateMs } from '../score/summary.js';
import type { ReadScope } from '../store/scope.js';
import { createSerialQueue } from '../store/session-snapshot.js';
import { createHourReader, type SubjectReading } from '../store/subject-hours.js';

/** Maximum number of readings that one query reads, so that it blocks other work for milliseconds only. */
const queryMax = 2_000;
/** Length of the range of time that one query searches, in ms. It follows the density of the readings. */
const span = { first: 4 * hourMs, least: 1, most: 32 * 24 * hourMs };
const hexDigits = [...'0123456789abcdef'];

export interface HoursRequest {
  readonly subjectId: string;
  /** Starts of the first hour, and of the hour after the last one, in epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The time at which the state of the newest reading ends at the latest, in epoch ms. */
  readonly nowMs: number;
  /**
   * Called with the readings of each query, and the time up to which they are complete. If it returns an earlier time in
   * epoch ms, the computation ends there.
   */
  readonly onRead?: (readings: readonly SubjectReading[], untilMs: number) => number | undefined;
}

export interface ComputedHours {
  /** The hours with data, by their start. */
  readonly hours: ReadonlyMap<number, Hour>;
  /** `toMs`, or the earlier time at which `onRead` ended the computation. */
  readonly throughMs: number;
}

/** Computes hours of a subject from its stored readings. */
export type ComputeHours = (scope: ReadScope, request: HoursRequest) => Promise<ComputedHours>;

/**
 * Returns the function that computes hours. Its calls query the database in turns, so that many calls delay other
 * requests no more than one call does.
 */
export function createComputeHours(): ComputeHours {
  const inTurn = createSerialQueue();
  return async (scope, { subjectId, fromMs, toMs, nowMs, onRead }) => {
    const read = async (atMs: number, untilMs: number, digestPrefix = '') => {
      const found = await inTurn(() =>
        createHourReader(scope).readings(subjectId, atMs, untilMs, queryMax + 1, digestPrefix),
      );
      await yieldToOthers();
      return found;
    };
    /** Yields the readings of a range in pages. Yields nothing if a shorter range is required. */
    async function* readPages(atMs: number, untilMs: number, digestPrefix = ''): AsyncGenerator<SubjectReading[]> {
      const found = await read(atMs, untilMs, digestPrefix);
      if (found.length <= queryMax) yield found;
      // The digests are keyed, so nobody can choose readings whose digests begin alike.
      else if (untilMs - atMs <= span.least)
        for (const digit of hexDigits) yield* readPages(atMs, untilMs, digestPrefix + digit);
    }
    const timeline = beginTimeline(fromMs, toMs);
    let spanMs = span.first;
    for (let atMs = fromMs - stateMs; atMs < toMs;) {
      const untilMs = Math.min(atMs + spanMs, toMs);
      let count: number | undefined;
      let throughMs: number | undefined;
      for await (const found of readPages(atMs, untilMs)) {
        count = (count ?? 0) + found.length;
        timeline.add(found);
        throughMs = onRead?.(found, untilMs);
      }
      if (count === undefined) {
        spanMs = Math.max(span.least, Math.floor((untilMs - atMs) / 4));
        continue;
      }
      if (throughMs !== undefined) return { hours: hoursBefore(timeline.finish(nowMs), throughMs), throughMs };
      if (count < queryMax / 4) spanMs = Math.min(span.most, spanMs * 2);
      atMs = untilMs;
    }
    return { hours: timeline.finish(nowMs), throughMs: toMs };
  };
}

function hoursBefore(hours: ReadonlyMap<number, Hour>, beforeMs: number): Map<number, Hour> {
  return new Map([...hours].filter(([startMs]) => startMs < beforeMs));
}
