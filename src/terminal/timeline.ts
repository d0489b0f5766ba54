import { bands } from '../../generated/spec.js';
import type { State } from '../contract.js';
import { colours, picture, round, text } from './svg.js';
import { drawTimeAxis } from './time-axis.js';

/** One reading with its response. */
export interface TimelinePoint {
  /** Seconds since the start of the timeline, ascending. */
  readonly second: number;
  /** bpm. Absent if the reading has none. */
  readonly heartRate?: number | undefined;
  readonly score: number;
  readonly state: State;
  readonly topics?: readonly string[] | undefined;
}

/** A time range that is shaded, such as a stressor task. */
export interface TimelineSpan {
  readonly from: number;
  readonly to: number;
}

export interface Timeline {
  readonly title: string;
  readonly subtitle: string;
  readonly points: readonly TimelinePoint[];
  readonly shaded?: readonly TimelineSpan[];
  /** What the shaded ranges are, for the legend. */
  readonly shadedAs?: string;
}

interface Scale {
  readonly end: number;
  xOf(second: number): number;
}

interface Panel {
  readonly top: number;
  readonly bottom: number;
}

const width = 900;
const plot = { left: 62, right: 740 };
const heart: Panel = { top: 82, bottom: 212 };
const score: Panel = { top: 244, bottom: 444 };
const strip: Panel = { top: 456, bottom: 474 };
const laneHeight = 20;
const lanesMax = 8;
const laneCharactersMax = 22;
/** Space that the name of a state requires, px. */
const nameWidth = 78;

const bandColours: Readonly<Record<State, string>> = {
  calm: '#14b8a6',
  relaxed: '#84b91f',
  focused: '#eab308',
  stressed: '#f97316',
  acute_stress: '#dc2f45',
};

/**
 * Returns an SVG 900 px wide: heart rate, score in front of its bands, states, and one lane per topic, over time. A score
 * stays published until the next reading. A missing heart rate leaves a gap. Without points, the chart is empty.
 */
export function drawTimeline({ title, subtitle, points, shaded = [], shadedAs }: Timeline): string {
  const end = Math.max(points.at(-1)?.second ?? 0, 1);
  const scale: Scale = { end, xOf: (second) => round(plot.left + (second / end) * (plot.right - plot.left)) };
  const lanes = lanesOf(points);
  const bottom = strip.bottom + lanes.length * laneHeight;
  return picture({ width, height: bottom + 52, left: plot.left, title, subtitle }, [
    ...drawBands(),
    ...shaded.map((it) => drawShade(it, scale)),
    ...drawTimeAxis({ ...scale, top: heart.top, bottom: bottom + 4, ...plot }),
    ...drawHeart(points, scale),
    ...drawScore(points, scale),
    ...drawStates(points, scale),
    ...(lanes.length > 0 ? [axisText(strip.bottom + laneHeight / 2 + 4, 'topics')] : []),
    ...lanes.flatMap((lane, index) => drawLane(lane, strip.bottom + (index + 0.5) * laneHeight + 4, scale)),
    ...(shaded.length > 0 && shadedAs ? drawLegend(shadedAs) : []),
  ]);
}

function drawShade({ from, to }: TimelineSpan, { xOf }: Scale): string {
  return [heart, score]
    .map(({ top, bottom }) => rect(xOf(from), top, xOf(to) - xOf(from), bottom - top, colours.warm, 0.1))
    .join('');
}

function drawLegend(shadedAs: string): string[] {
  return [
    rect(plot.right + 10, 39, 16, 12, colours.warm, 0.15),
    text(plot.right + 32, 49, shadedAs, { size: 12, fill: colours.faint }),
  ];
}

function drawHeart(points: readonly TimelinePoint[], { xOf }: Scale): string[] {
  const rates = points.flatMap(({ heartRate }) => (heartRate === undefined ? [] : [heartRate]));
  const { low, high, step } = rangeOf(rates);
  const yOf = (bpm: number) => yIn(heart, (bpm - low) / (high - low));
  const marks = Array.from({ length: (high - low) / step + 1 }, (_, index) => low + index * step);
  const runs = runsOf(points).map((run) =>
    run.map(({ second, heartRate = 0 }) => [xOf(second), yOf(heartRate)] as const),
  );
  return [
    ...marks.flatMap((bpm) => [gridLine(yOf(bpm)), axisText(yOf(bpm), String(bpm))]),
    axisTitle(heart, 'heart rate, bpm'),
    ...runs.map((run) => (run.length === 1 ? dot(run[0], colours.warm, 2) : line(run, colours.warm))),
  ];
}

/** Returns an axis in steps of 10, 20 or 50 bpm that contains all rates. */
function rangeOf(rates: readonly number[]): { low: number; high: number; step: number } {
  const [least, most] = rates.reduce(
    ([a, b], it) => [Math.min(a, it), Math.max(b, it)],
    [rates[0] ?? 60, rates[0] ?? 80],
  );
  const step = [10, 20, 50].find((it) => (most - least) / it <= 4) ?? 50;
  const low = Math.floor(least / step) * step;
  return { low, high: Math.max(Math.ceil(most / step) * step, low + 2 * step), step };
}

/** Returns the points with a heart rate, in runs of neighbors. */
function runsOf(points: readonly TimelinePoint[]): TimelinePoint[][] {
  const runs: TimelinePoint[][] = [[]];
  for (const point of points) {
    if (point.heartRate === undefined) runs.push([]);
    else runs.at(-1)?.push(point);
  }
  return runs.filter((run) => run.length > 0);
}

function drawBands(): string[] {
  return [
    ...bands.flatMap(({ state, min_score, max_score }, index) => {
      const top = index === bands.length - 1 ? max_score : max_score + 1;
      const [from, to] = [scoreY(min_score), scoreY(top)];
      return [
        rect(plot.left, to, plot.right - plot.left, from - to, bandColours[state], 0.13),
        axisText(from, String(min_score)),
        text(plot.right + 10, (from + to) / 2 + 4, state, { size: 12, fill: colours.faint }),
      ];
    }),
    axisText(scoreY(100), '100'),
    axisTitle(score, 'stress score'),
  ];
}

function drawScore(points: readonly TimelinePoint[], { xOf }: Scale): string[] {
  const steps = points.flatMap((point, index) => {
    const y = scoreY(point.score);
    const next = points[index + 1]?.second ?? point.second;
    return [[xOf(point.second), y] as const, [xOf(next), y] as const];
  });
  const changes = points.filter(({ state }, index) => index > 0 && state !== points[index - 1]?.state);
  return [
    line(steps, colours.text),
    ...changes.map(({ second, score: at, state }) => dot([xOf(second), scoreY(at)], bandColours[state], 4.5)),
  ];
}

/** Draws the states as a strip, with their names where there is room. */
function drawStates(points: readonly TimelinePoint[], { xOf, end }: Scale): string[] {
  const starts = points.filter(({ state }, index) => state !== points[index - 1]?.state);
  const runs = starts.map(({ state, second }, index) => {
    const [from, to] = [xOf(second), xOf(starts[index + 1]?.second ?? end)];
    const name = text((from + to) / 2, strip.bottom - 5, state, { size: 11, anchor: 'middle' });
    const block = rect(from, strip.top, Math.max(1, to - from), strip.bottom - strip.top, bandColours[state], 0.45);
    return to - from >= nameWidth ? block + name : block;
  });
  return [...runs, axisText((strip.top + strip.bottom) / 2, 'state')];
}

interface Lane {
  readonly topic: string;
  readonly seconds: readonly number[];
}

/** Returns one lane per topic, in the order of the first detection. */
function lanesOf(points: readonly TimelinePoint[]): Lane[] {
  const seconds = new Map<string, number[]>();
  for (const { second, topics = [] } of points)
    for (const topic of topics) seconds.set(topic, [...(seconds.get(topic) ?? []), second]);
  return [...seconds].slice(0, lanesMax).map(([topic, its]) => ({ topic, seconds: its }));
}

function drawLane({ topic, seconds }: Lane, y: number, { xOf }: Scale): string[] {
  const name = topic.length > laneCharactersMax ? `${topic.slice(0, laneCharactersMax - 1)}…` : topic;
  return [
    gridLine(y),
    ...seconds.map((second) => dot([xOf(second), y], colours.cool, 4)),
    text(plot.right + 10, y + 4, name, { size: 11, fill: colours.faint }),
  ];
}

type Place = readonly [x: number, y: number];

function line(places: readonly Place[], colour: string): string {
  const points = places.map(([x, y]) => `${x},${y}`).join(' ');
  return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round"/>`;
}

function dot([x, y]: Place = [0, 0], fill: string, radius: number): string {
  return `<circle cx="${x}" cy="${round(y)}" r="${radius}" fill="${fill}" stroke="${colours.ground}"/>`;
}

function rect(x: number, y: number, w: number, h: number, fill: string, opacity: number): string {
  const size = `width="${round(w)}" height="${round(h)}"`;
  return `<rect x="${round(x)}" y="${round(y)}" ${size} fill="${fill}" fill-opacity="${opacity}"/>`;
}

function gridLine(y: number): string {
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${round(y)}" y2="${round(y)}" stroke="${colours.grid}"/>`;
}

function axisText(y: number, content: string): string {
  return text(plot.left - 8, y + 4, content, { size: 11.5, anchor: 'end', fill: colours.faint });
}

/** Writes the name of an axis above its panel. */
function axisTitle({ top }: Panel, content: string): string {
  return text(plot.left, top - 8, content, { size: 12, weight: 600 });
}

function yIn({ top, bottom }: Panel, share: number): number {
  return round(bottom - Math.min(1, Math.max(0, share)) * (bottom - top));
}

function scoreY(points: number): number {
  return yIn(score, points / 100);
}
