/** Positions in the chart, px. The score is above, the heart rate below, and both share the time axis. */
export interface Layout {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  readonly score: Span;
  readonly heart: Span;
  readonly height: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Vertical extent of a plot. */
export interface Span {
  readonly top: number;
  readonly bottom: number;
}

export const topicLanes = 3;
export const laneHeight = 22;
const margin = { left: 34, right: 14, bottom: 24 };
const scoreHeight = { wide: 210, narrow: 180 };
const heartHeight = 84;
const gap = 26;

export function layoutOf(width: number, minutes: number, toMs: number, lanes: number): Layout {
  const top = 10 + lanes * laneHeight;
  const score = { top, bottom: top + (width < 500 ? scoreHeight.narrow : scoreHeight.wide) };
  const heart = { top: score.bottom + gap, bottom: score.bottom + gap + heartHeight };
  const height = heart.bottom + margin.bottom;
  const fromMs = toMs - minutes * 60_000;
  return { width, left: margin.left, right: width - margin.right, score, heart, height, fromMs, toMs };
}

export function xOf({ left, right, fromMs, toMs }: Layout, atMs: number): number {
  return left + ((atMs - fromMs) / (toMs - fromMs)) * (right - left);
}

/** Returns the vertical place of a value on an axis from `low` at the bottom to `high` at the top. */
export function yOf({ top, bottom }: Span, value: number, low: number, high: number): number {
  return bottom - ((value - low) / (high - low)) * (bottom - top);
}

/** Returns the times of the labels of the time axis: whole minutes in the reader's time zone. */
export function ticksOf({ left, right, fromMs, toMs }: Layout): number[] {
  const labelsMax = Math.max(2, Math.floor((right - left) / 90));
  const minutes = (toMs - fromMs) / 60_000;
  const stepMs = ([1, 2, 5, 10, 15, 30].find((step) => minutes / step <= labelsMax) ?? 30) * 60_000;
  const first = Math.ceil(fromMs / stepMs) * stepMs;
  return Array.from({ length: Math.floor((toMs - first) / stepMs) + 1 }, (_, index) => first + index * stepMs);
}

/** Returns bounds of the heart rate axis in tens, at least 40 bpm apart. */
export function heartBounds(rates: readonly number[]): readonly [low: number, high: number] {
  const [least, most] = [Math.min(...rates, 60), Math.max(...rates, 100)];
  return [Math.floor(least / 10) * 10, Math.ceil(most / 10) * 10];
}
