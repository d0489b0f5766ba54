import type { History, State, StateReading } from '../../../clients/typescript/src/index.js';

/** A point of the chart. */
export interface Point {
  readonly atMs: number;
  readonly score: number;
  readonly state: State;
  readonly confidence: number;
  readonly heartRate?: number | undefined;
}

/** A point at which the state differs from the previous point. */
export interface Change {
  readonly point: Point;
  readonly from: State;
}

/** The history, which also has heart rates, replaces the streamed points of its window. */
export function withHistory(points: readonly Point[], history: History, nowMs: number): Point[] {
  const fromMs = nowMs - history.minutes * 60_000;
  const newestMs = Date.parse(history.datapoints.at(-1)?.timestamp ?? '') || fromMs;
  const loaded = history.datapoints.map(({ timestamp, stress_score: score, state, confidence, heart_rate }) => ({
    atMs: Date.parse(timestamp),
    score,
    state,
    confidence,
    heartRate: heart_rate,
  }));
  // A reading may have arrived while the history was requested.
  const [older, newer] = [points.filter((it) => it.atMs <= fromMs), points.filter((it) => it.atMs > newestMs)];
  return [...older, ...loaded, ...newer];
}

export function withReading(points: readonly Point[], reading: StateReading): Point[] {
  const { stress_score: score, state, confidence } = reading;
  const point = { atMs: Date.parse(reading.timestamp), score, state, confidence };
  const last = points.at(-1);
  const isKnown = last !== undefined && last.atMs === point.atMs && last.score === score;
  return isKnown ? [...points] : [...points, point].sort((a, b) => a.atMs - b.atMs);
}

export function changesOf(points: readonly Point[]): Change[] {
  return points.flatMap((point, index) => {
    const from = points[index - 1]?.state;
    return from === undefined || from === point.state ? [] : [{ point, from }];
  });
}

/**
 * Returns at most three points per column of the drawing: the lowest, the highest and the last one, in their order. The
 * line looks the same, and an hour of readings per second stays cheap to draw.
 */
export function thinned(points: readonly Point[], columnOf: (point: Point) => number): Point[] {
  const columns: Point[][] = [];
  let current = Number.NaN;
  for (const point of points) {
    const column = Math.round(columnOf(point));
    if (column !== current) columns.push([]);
    current = column;
    columns.at(-1)?.push(point);
  }
  return columns.flatMap((column) => {
    const scores = column.map(({ score }) => score);
    const extremes = [Math.min(...scores), Math.max(...scores)].map((score) => scores.indexOf(score));
    return [...new Set([...extremes, column.length - 1])].sort((a, b) => a - b).flatMap((at) => column[at] ?? []);
  });
}
