import { processReading } from './advance.js';
import type { PreparedReading } from './prepared-reading.js';
import type { GroupProgress, ProcessedReading } from './progress.js';

/*
 * A request may list live readings in any order, e.g. the newest first. They are scored in the order of their times, so that
 * the order in a body decides nothing. Who the person of a session is, consent, samples and refusals follow the lines.
 */

/** Outcomes of readings. */
export interface Processed {
  /** In the order of the readings. */
  readonly processed: readonly ProcessedReading[];
  /** In the order in which they were scored, and are stored and sent. */
  readonly scored: readonly ProcessedReading[];
}

/** Processes readings of an account: those of each session by time. */
export function processInOrder(progress: GroupProgress, readings: readonly PreparedReading[]): Processed {
  if (isInOrder(readings)) {
    const processed = readings.map((it) => processReading(progress, it));
    return { processed, scored: processed };
  }
  const order = sortLive(readings, readings);
  // The lines decide first, on a copy, what is refused and whose a session is.
  const trial = copyProgress(progress);
  const outcomes = new Map<number, ProcessedReading>();
  const bound = readings.map((reading, index) => {
    const before = trial.sessions.get(reading.sessionId)?.session?.subjectId;
    const outcome = processReading(trial, reading);
    if (outcome.kind === 'refused') outcomes.set(index, outcome);
    return reading.subjectId ?? before;
  });
  for (const index of order) {
    const subjectId = bound[index];
    const reading = readings[index] as PreparedReading;
    const named = subjectId === undefined ? reading : { ...reading, subjectId };
    if (!outcomes.has(index)) outcomes.set(index, processReading(progress, named));
  }
  const toOutcome = (index: number) => outcomes.get(index) as ProcessedReading;
  return { processed: readings.map((_, index) => toOutcome(index)), scored: order.map(toOutcome) };
}

/** Returns true if no live reading of a session follows a newer one. */
function isInOrder(readings: readonly PreparedReading[]): boolean {
  const newest = new Map<string, number>();
  return readings.every(({ sessionId, timestampMs, isBackfill }) => {
    if (isBackfill) return true;
    const isNewest = timestampMs >= (newest.get(sessionId) ?? -Infinity);
    newest.set(sessionId, timestampMs);
    return isNewest;
  });
}

/**
 * Returns the positions of readings in the order in which they may be submitted: the live readings of each session by time,
 * unless the lines of the session name several people, or one sample twice.
 */
export function orderByTime(readings: readonly PreparedReading[]): number[] {
  const sessions = new Map<string, PreparedReading[]>();
  for (const reading of readings)
    sessions.set(reading.sessionId, [...(sessions.get(reading.sessionId) ?? []), reading]);
  const isFree = (all: readonly PreparedReading[]) => {
    const samples = all.flatMap(({ sample }) => sample?.key ?? []);
    return new Set(all.map(({ subjectId }) => subjectId)).size === 1 && new Set(samples).size === samples.length;
  };
  const free = [...sessions.values()].filter(isFree).flat();
  return sortLive(readings, free);
}

/** Returns the positions of readings, with the live ones in `sorted` by time in the places that those of their session have. */
function sortLive(readings: readonly PreparedReading[], sorted: readonly PreparedReading[]): number[] {
  const order = readings.map((_, index) => index);
  const moved = new Set(sorted.filter(({ isBackfill }) => !isBackfill));
  const places = new Map<string, number[]>();
  for (const [index, reading] of readings.entries())
    if (moved.has(reading)) places.set(reading.sessionId, [...(places.get(reading.sessionId) ?? []), index]);
  const timeAt = (index: number) => readings[index]?.timestampMs ?? 0;
  for (const own of places.values())
    for (const [place, index] of own.toSorted((a, b) => timeAt(a) - timeAt(b)).entries())
      order[own[place] as number] = index;
  return order;
}

/** Returns a progress whose changes do not concern the other one. */
function copyProgress(progress: GroupProgress): GroupProgress {
  const { sessions, subjects, taken, changedSessions, changedSubjects, samples } = progress;
  return {
    ...progress,
    ...{ sessions: new Map(sessions), subjects: new Map(subjects), taken: new Map(taken) },
    ...{ changedSessions: new Map(changedSessions), changedSubjects: new Map(changedSubjects) },
    ...(samples && { samples: { ...samples, known: new Map(samples.known) } }),
  };
}
