import { bands } from '../../generated/spec.js';
import type { State } from '../../src/contract/contract.js';
import { colors, picture, round, text } from './svg.js';

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
  /** Meaning of the shaded ranges, for the legend. */
  readonly shadedAs?: string;
}

type Points = readonly TimelinePoint[];
/** Position in the picture, px. */
type Place = readonly [x: number, y: number];
/** Returns the horizontal position of a second, px. */
type Scale = (second: number) => number;

const width = 900;
const plot = { left: 62, right: 740 };
/** Panels from top to bottom, px. */
const heart = { top: 82, bottom: 212 };
const score = { top: 244, bottom: 444 };
const strip = { top: 456, bottom: 474 };
const laneHeight = 20;
const lanesMax = 8;
const laneCharactersMax = 22;
/** Space that the name of a state requires, px. */
const nameWidth = 78;
/** More dots would hide the score. */
const dotsMax = 40;
export const bandColors: Readonly<Record<State, string>> = {
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
  const toX: Scale = (second) => round(plot.left + (second / end) * (plot.right - plot.left));
  const lanes = collectLanes(points);
  const bottom = strip.bottom + lanes.length * laneHeight;
  return picture({ width, height: bottom + 52, left: plot.left, title, subtitle }, [
    ...drawBands(),
    ...shaded.map(({ from, to }) =>
      [heart, score].map((panel) => block(toX(from), toX(to) - toX(from), panel, colors.warm, 0.1)).join(''),
    ),
    ...drawTimeAxis(end, toX, bottom + 4),
    ...drawHeart(points, toX),
    ...drawScore(points, toX),
    ...drawStates(points, toX, end),
    ...(lanes.length > 0 ? [axisText(strip.bottom + laneHeight / 2 + 4, 'topics')] : []),
    ...lanes.flatMap((lane, index) => drawLane(lane, strip.bottom + (index + 0.5) * laneHeight + 4, toX)),
    ...(shaded.length > 0 && shadedAs
      ? [block(plot.right + 10, 16, { top: 39, bottom: 51 }, colors.warm, 0.15), sideText(49, shadedAs, 12, 32)]
      : []),
  ]);
}

/** Returns the time ranges of consecutive points with a property. A range ends at the next point without it. */
export function spansOf<Point extends { readonly second: number }>(
  points: readonly Point[],
  isIn: (point: Point, index: number) => boolean,
): TimelineSpan[] {
  const spans: { from: number; to: number }[] = [];
  points.forEach((point, index) => {
    if (!isIn(point, index)) return;
    const [last, to] = [spans.at(-1), points[index + 1]?.second ?? point.second];
    if (last && index > 0 && isIn(points[index - 1] ?? point, index - 1)) last.to = to;
    else spans.push({ from: point.second, to });
  });
  return spans;
}

const timeUnits = [
  { name: 's', seconds: 1, steps: [1, 2, 5, 10, 15, 30] },
  { name: 'min', seconds: 60, steps: [1, 2, 5, 10, 15, 30] },
  { name: 'h', seconds: 3_600, steps: [1, 2, 3, 6, 12] },
  { name: 'days', seconds: 86_400, steps: [1, 2, 5, 10, 20, 50, 100] },
];
const marksMax = 9;
const middle = { size: 12, anchor: 'middle' } as const;

/** Draws marks with round times since the start: at most nine, in s, min, h or days. */
function drawTimeAxis(end: number, toX: Scale, bottom: number): string[] {
  const choices = timeUnits.flatMap(({ name, seconds, steps }) => steps.map((step) => ({ name, seconds, step })));
  const fits = choices.find(({ seconds, step }) => end / (seconds * step) <= marksMax - 1) ?? choices.at(-1);
  if (!fits) return [];
  const count = Math.min(marksMax, Math.floor(end / (fits.seconds * fits.step)) + 1);
  const marks = Array.from({ length: count }, (_, index) => index * fits.step);
  return [
    `<line x1="${plot.left}" x2="${plot.right}" y1="${bottom}" y2="${bottom}" stroke="${colors.faint}"/>`,
    ...marks.flatMap((mark) => {
      const x = toX(mark * fits.seconds);
      return [
        `<line x1="${x}" x2="${x}" y1="${heart.top}" y2="${bottom + 5}" stroke="${colors.grid}"/>`,
        text(x, bottom + 19, String(mark), { size: 11.5, anchor: 'middle', fill: colors.faint }),
      ];
    }),
    text((plot.left + plot.right) / 2, bottom + 37, `time since the first reading, ${fits.name}`, middle),
  ];
}

/** Draws the heart rate on an axis in steps of 10, 20 or 50 bpm. A missing heart rate leaves a gap. */
function drawHeart(points: Points, toX: Scale): string[] {
  const rates = points.flatMap(({ heartRate }) => heartRate ?? []);
  const least = rates.reduce((a, b) => Math.min(a, b), rates[0] ?? 60);
  const most = rates.reduce((a, b) => Math.max(a, b), rates[0] ?? 80);
  const step = [10, 20, 50].find((it) => (most - least) / it <= 4) ?? 50;
  const low = Math.floor(least / step) * step;
  const high = Math.max(Math.ceil(most / step) * step, low + 2 * step);
  const toY = (bpm: number) => yIn(heart, (bpm - low) / (high - low));
  const marks = Array.from({ length: (high - low) / step + 1 }, (_, index) => low + index * step);
  const runs: Place[][] = [[]];
  for (const { second, heartRate } of points) {
    if (heartRate === undefined) runs.push([]);
    else runs.at(-1)?.push([toX(second), toY(heartRate)]);
  }
  return [
    ...marks.flatMap((bpm) => [gridLine(toY(bpm)), axisText(toY(bpm), String(bpm))]),
    axisTitle(heart, 'heart rate, bpm'),
    ...runs
      .filter((run) => run.length > 0)
      .map((run) => (run.length === 1 ? dot(run[0], colors.warm, 2) : line(run, colors.warm))),
  ];
}

/** Draws the bands of the states behind the score. */
function drawBands(): string[] {
  const drawBand = ({ state, min_score, max_score }: (typeof bands)[number], index: number) => {
    const [bottom, top] = [scoreY(min_score), scoreY(index === bands.length - 1 ? max_score : max_score + 1)];
    return [
      block(plot.left, plot.right - plot.left, { top, bottom }, bandColors[state], 0.13),
      axisText(bottom, String(min_score)),
      sideText((bottom + top) / 2 + 4, state, 12),
    ];
  };
  return [...bands.flatMap(drawBand), axisText(scoreY(100), '100'), axisTitle(score, 'stress score')];
}

/** Draws the score, which stays published until the next reading, and a dot per state change if they are few. */
function drawScore(points: Points, toX: Scale): string[] {
  const steps = points.flatMap(({ second, score: at }, index): Place[] => [
    [toX(second), scoreY(at)],
    [toX(points[index + 1]?.second ?? second), scoreY(at)],
  ]);
  const changes = findChanges(points).slice(1);
  const dotted = changes.length > dotsMax ? [] : changes;
  return [
    line(steps, colors.text),
    ...dotted.map(({ second, score: at, state }) => dot([toX(second), scoreY(at)], bandColors[state], 4.5)),
  ];
}

/** Draws the states as a strip, with their names where there is room. */
function drawStates(points: Points, toX: Scale, end: number): string[] {
  const starts = findChanges(points);
  const runs = starts.map(({ state, second }, index) => {
    const [from, to] = [toX(second), toX(starts[index + 1]?.second ?? end)];
    const run = block(from, Math.max(1, to - from), strip, bandColors[state], 0.45);
    if (to - from < nameWidth) return run;
    return run + text((from + to) / 2, strip.bottom - 5, state, { size: 11, anchor: 'middle' });
  });
  return [...runs, axisText((strip.top + strip.bottom) / 2, 'state')];
}

/** Returns the first point, and each point with another state than the point before. */
function findChanges(points: Points): Points {
  return points.filter(({ state }, index) => state !== points[index - 1]?.state);
}

/** Returns the seconds of each topic, in the order of the first detection. */
function collectLanes(points: Points): (readonly [topic: string, seconds: readonly number[]])[] {
  const lanes = new Map<string, number[]>();
  for (const { second, topics = [] } of points)
    for (const topic of topics) {
      const seconds = lanes.get(topic) ?? [];
      seconds.push(second);
      lanes.set(topic, seconds);
    }
  return [...lanes].slice(0, lanesMax);
}

function drawLane([topic, seconds]: readonly [string, readonly number[]], y: number, toX: Scale): string[] {
  const name = topic.length > laneCharactersMax ? `${topic.slice(0, laneCharactersMax - 1)}…` : topic;
  return [gridLine(y), ...seconds.map((second) => dot([toX(second), y], colors.cool, 4)), sideText(y + 4, name, 11)];
}

function line(places: readonly Place[], color: string): string {
  const points = places.map(([x, y]) => `${x},${y}`).join(' ');
  return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="1.6" stroke-linejoin="round"/>`;
}

function dot([x, y]: Place = [0, 0], fill: string, radius: number): string {
  return `<circle cx="${x}" cy="${round(y)}" r="${radius}" fill="${fill}" stroke="${colors.ground}"/>`;
}

/** Draws a filled rectangle in a panel. */
function block(x: number, w: number, { top, bottom }: typeof heart, fill: string, opacity: number): string {
  const size = `width="${round(w)}" height="${round(bottom - top)}"`;
  return `<rect x="${round(x)}" y="${round(top)}" ${size} fill="${fill}" fill-opacity="${opacity}"/>`;
}

function gridLine(y: number): string {
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${round(y)}" y2="${round(y)}" stroke="${colors.grid}"/>`;
}

function axisText(y: number, content: string): string {
  return text(plot.left - 8, y + 4, content, { size: 11.5, anchor: 'end', fill: colors.faint });
}

/** Writes the name of an axis above its panel. */
function axisTitle({ top }: typeof heart, content: string): string {
  return text(plot.left, top - 8, content, { size: 12, weight: 600 });
}

/** Writes a text to the right of the panels. */
function sideText(y: number, content: string, size: number, gap = 10): string {
  return text(plot.right + gap, y, content, { size, fill: colors.faint });
}

/** Returns the vertical position of a share from 0 (bottom) to 1 (top) of a panel, px. */
function yIn({ top, bottom }: typeof heart, share: number): number {
  return round(bottom - Math.min(1, Math.max(0, share)) * (bottom - top));
}

function scoreY(points: number): number {
  return yIn(score, points / 100);
}
