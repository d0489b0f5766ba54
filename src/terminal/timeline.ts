import { colours, picture, round, text } from './svg.js';
import { drawTimeAxis } from './time-axis.js';
import { drawHeart } from './timeline/heart-panel.js';
import {
  axisText,
  dot,
  gridLine,
  heart,
  plot,
  rect,
  type Scale,
  score,
  strip,
  type TimelinePoint,
  width,
} from './timeline/layout.js';
import { drawBands, drawScore, drawStates } from './timeline/score-panel.js';

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

const laneHeight = 20;
const lanesMax = 8;
const laneCharactersMax = 22;

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

interface Lane {
  readonly topic: string;
  readonly seconds: readonly number[];
}

/** Returns one lane per topic, in the order of the first detection. */
function lanesOf(points: readonly TimelinePoint[]): Lane[] {
  const seconds = new Map<string, number[]>();
  for (const { second, topics = [] } of points)
    for (const topic of topics) {
      const its = seconds.get(topic);
      if (its) its.push(second);
      else seconds.set(topic, [second]);
    }
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
