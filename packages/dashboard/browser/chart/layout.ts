import { hasEnded } from '../format.js';
import type { Point } from '../points.js';

/** Positions in the chart, px. From top to bottom: topics, score, states and heart rate. All share the time axis. */
export interface Layout extends Extent {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  readonly topics: Span;
  readonly score: Span;
  readonly states: Span;
  /** Without height if no reading has a heart rate. */
  readonly heart: Span;
  readonly height: number;
}

/** The time that the chart shows, epoch ms. */
export interface Extent {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Vertical extent of a plot. */
export interface Span {
  readonly top: number;
  readonly bottom: number;
}

export interface Lanes {
  /** Number of topics with a lane. */
  readonly topics: number;
  readonly hasHeart: boolean;
}

/** Height of a topic: its name above its ticks. */
export const laneHeight = 25;
const statesHeight = 26;
/** From this width on, the names of the bands stand at the right of the plot. */
const namesFromWidth = 560;
const [marginLeft, marginBottom, gap] = [48, 24, 28];
const scoreHeight = { wide: 210, narrow: 180 };
const heartHeight = 84;
/** A shorter time would stretch one reading over the whole chart. */
const extentMinMs = 60_000;
const [second, minute] = [1_000, 60_000];
const tickSteps = [5 * second, 10 * second, 30 * second, ...[1, 2, 5, 10, 15, 30].map((it) => it * minute)];

/**
 * Returns the time of the newest points, at most `minutes`. It ends now, or with the newest reading of a session that
 * has ended. It begins with the first of these points.
 */
export function extentOf(points: readonly Point[], minutes: number, nowMs: number): Extent {
  const newestMs = points.at(-1)?.atMs ?? nowMs;
  const isPast = hasEnded(newestMs, nowMs);
  const lastMs = isPast ? newestMs : nowMs;
  const firstMs = points.find(({ atMs }) => atMs > lastMs - minutes * minute)?.atMs ?? lastMs - minutes * minute;
  const spanMs = Math.max(lastMs - firstMs, extentMinMs);
  // A point at the edge would be cut off. A single point is in the middle.
  const marginMs = Math.max(spanMs * 0.03, isPast ? (spanMs - (lastMs - firstMs)) / 2 : 0);
  const toMs = isPast ? lastMs + marginMs : lastMs;
  return { fromMs: Math.min(firstMs - spanMs * 0.03, toMs - spanMs), toMs };
}

export function layoutOf(width: number, extent: Extent, { topics: rows, hasHeart }: Lanes): Layout {
  const topics = { top: 4, bottom: 4 + rows * laneHeight };
  const scoreTop = topics.bottom + 12;
  const score = { top: scoreTop, bottom: scoreTop + (width < 500 ? scoreHeight.narrow : scoreHeight.wide) };
  const statesTop = score.bottom + 12;
  const states = { top: statesTop, bottom: statesTop + statesHeight };
  const heartTop = states.bottom + (hasHeart ? gap : 0);
  const heart = { top: heartTop, bottom: heartTop + (hasHeart ? heartHeight : 0) };
  const right = width - (width < namesFromWidth ? 14 : 92);
  return {
    ...extent,
    width,
    left: marginLeft,
    right,
    topics,
    score,
    states,
    heart,
    height: heart.bottom + marginBottom,
  };
}

export function hasBandNames({ width }: Layout): boolean {
  return width >= namesFromWidth;
}

export function xOf({ left, right, fromMs, toMs }: Layout, atMs: number): number {
  return left + ((atMs - fromMs) / (toMs - fromMs)) * (right - left);
}

/** Returns the vertical place of a value on an axis from `low` at the bottom to `high` at the top. */
export function yOf({ top, bottom }: Span, value: number, low: number, high: number): number {
  return bottom - ((value - low) / (high - low)) * (bottom - top);
}

/** Returns the times of the labels of the time axis, and whether they need seconds. */
export function ticksOf({ left, right, fromMs, toMs }: Layout): {
  readonly times: number[];
  readonly seconds: boolean;
} {
  const labelsMax = Math.max(2, Math.floor((right - left) / 90));
  const stepMs = tickSteps.find((step) => (toMs - fromMs) / step <= labelsMax) ?? 60 * minute;
  const first = Math.ceil(fromMs / stepMs) * stepMs;
  const times = Array.from({ length: Math.floor((toMs - first) / stepMs) + 1 }, (_, index) => first + index * stepMs);
  return { times, seconds: stepMs < minute };
}

/** Returns bounds of the heart rate axis in tens around the rates, at least 20 bpm apart. */
export function heartBounds(rates: readonly number[]): readonly [low: number, high: number] {
  const low = Math.floor(Math.min(...rates) / 10) * 10;
  const high = Math.ceil(Math.max(...rates) / 10) * 10;
  return high - low >= 20 ? [low, high] : [low - 10, Math.max(high, low + 10)];
}
