import type { History, SessionState, StateReading } from '../../client/src/index.js';
import { signalAges, type signals } from '../../../generated/spec.js';
import { shownState, signalLifetimeMs } from '../../ui/format.js';

type Datapoint = History['datapoints'][number];
/** A signal that the history contains. */
export type SignalName = Extract<keyof Datapoint, keyof typeof signals>;

/** A point of the chart. Only the history has the signals of a reading: the stream does not contain them. */
export type Point = Datapoint & { readonly atMs: number };

/** The history, which also has signals, replaces the streamed points of its window. `untilMs` is the end of the window. */
export function withHistory(points: readonly Point[], history: History, untilMs: number): Point[] {
  const fromMs = untilMs - history.minutes * 60_000;
  const newestMs = Date.parse(history.datapoints.at(-1)?.timestamp ?? '') || fromMs;
  const loaded = history.datapoints.map(toPoint);
  // A reading may have arrived while the history was requested.
  const [older, newer] = [points.filter((it) => it.atMs <= fromMs), points.filter((it) => it.atMs > newestMs)];
  return [...older, ...loaded, ...newer];
}

export function withReading(points: readonly Point[], reading: StateReading): Point[] {
  const { timestamp, session_id, state, stress_score, confidence, evidence, model_version, topics_detected } = reading;
  const known = { timestamp, session_id, state, stress_score, confidence, model_version, topics_detected };
  const point = toPoint({ ...known, ...(evidence && { evidence }) });
  const last = points.at(-1);
  const isKnown = last?.atMs === point.atMs && last.stress_score === stress_score;
  return isKnown ? [...points] : [...points, point].sort((a, b) => a.atMs - b.atMs);
}

function toPoint(datapoint: Datapoint): Point {
  return { ...datapoint, atMs: Date.parse(datapoint.timestamp) };
}

/**
 * Returns the times during which the state was the same, oldest first. Each ends with the next state, with the lifetime of
 * its signals, or now.
 */
export function holdsOf(points: readonly Point[], nowMs: number) {
  const holds: Array<{ state: SessionState; fromMs: number; toMs: number }> = [];
  for (const [index, point] of points.entries()) {
    const [state, { atMs }] = [shownState(point), point];
    const toMs = Math.min(points[index + 1]?.atMs ?? nowMs, atMs + signalLifetimeMs);
    const last = holds.at(-1);
    if (last?.state === state && last.toMs === atMs) last.toMs = toMs;
    else holds.push({ state, fromMs: atMs, toMs });
  }
  return holds;
}

const { half_life_seconds: halfLife, fresh_seconds: fresh } = signalAges;

/** Returns the confidence of the newest point at a time. It halves with the age, as in the state that the service returns. */
export function confidenceOf(points: readonly Point[], now: number): number | undefined {
  const newest = points.at(-1);
  return newest && newest.confidence * 2 ** (-Math.max(0, (now - newest.atMs) / 1_000 - fresh) / halfLife);
}

/** Returns the points with a known state. */
export function withEvidence(points: readonly Point[]): Point[] {
  return points.filter(({ evidence }) => evidence === undefined);
}

/** Returns the number of times that the known state changed. */
export function countChanges(points: readonly Point[]): number {
  const known = withEvidence(points);
  return known.filter(({ state }, index) => index > 0 && state !== known[index - 1]?.state).length;
}
