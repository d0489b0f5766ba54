import type { History, State, StateReading } from '../../client/src/index.js';
import type { signals } from '../../../generated/spec.js';
import { signalLifetimeMs } from './format.js';

type Datapoint = History['datapoints'][number];
/** A signal that the history contains. */
export type SignalName = Extract<keyof Datapoint, keyof typeof signals>;

/** A point of the chart. */
export interface Point {
  readonly atMs: number;
  readonly score: number;
  readonly state: State;
  readonly confidence: number;
  readonly topics: readonly string[];
  readonly sessionId: string | undefined;
  /** The signals of the reading. The stream does not contain them. */
  readonly sent: Pick<Datapoint, SignalName>;
}

/** A time during which the state was the same. It ends with the next state, or with the lifetime of its signals. */
export interface Hold {
  readonly state: State;
  readonly fromMs: number;
  readonly toMs: number;
}

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
  const { timestamp, session_id, state, stress_score, confidence, model_version, topics_detected } = reading;
  const point = toPoint({ timestamp, session_id, state, stress_score, confidence, model_version, topics_detected });
  const last = points.at(-1);
  const isKnown = last !== undefined && last.atMs === point.atMs && last.score === point.score;
  return isKnown ? [...points] : [...points, point].sort((a, b) => a.atMs - b.atMs);
}

function toPoint({
  timestamp,
  stress_score: score,
  state,
  confidence,
  topics_detected = [],
  session_id: sessionId,
  ...sent
}: Datapoint): Point {
  return { atMs: Date.parse(timestamp), score, state, confidence, topics: topics_detected, sessionId, sent };
}

/** Returns the times of each state, oldest first. `nowMs` ends the newest one. */
export function holdsOf(points: readonly Point[], nowMs: number): Hold[] {
  const holds: Array<{ state: State; fromMs: number; toMs: number }> = [];
  for (const [index, { state, atMs }] of points.entries()) {
    const toMs = Math.min(points[index + 1]?.atMs ?? nowMs, atMs + signalLifetimeMs);
    const last = holds.at(-1);
    if (last?.state === state && last.toMs === atMs) last.toMs = toMs;
    else holds.push({ state, fromMs: atMs, toMs });
  }
  return holds;
}

/** Returns the number of times that the state changed. */
export function countChanges(points: readonly Point[]): number {
  return points.filter(({ state }, index) => index > 0 && state !== points[index - 1]?.state).length;
}
