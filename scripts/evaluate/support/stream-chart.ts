import { bands } from '../../../generated/spec.js';
import { colours, picture, round, text } from '../../../src/terminal/svg.js';
import type { StreamResponse } from './everyday-claims.js';
import type { HeartStream } from './stream.js';

const size = { width: 900, height: 520 };
const plot = { left: 52, right: 800, heartTop: 74, heartBottom: 230, scoreTop: 262, scoreBottom: 480 };
const heartRates = { from: 50, to: 130, step: 20 };

/**
 * Returns an SVG of 900 by 520 px: the heart rate of a stream, and below it the published scores with the bands of the
 * states.
 */
export function drawStream(stream: HeartStream, responses: readonly StreamResponse[], subtitle: string): string {
  const end = responses.at(-1)?.second ?? 1;
  const xOf = (second: number) => round(plot.left + (second / end) * (plot.right - plot.left));
  const line = (points: readonly string[], colour: string) =>
    `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
  const sent = new Set(responses.map(({ second }) => second));
  const heart = stream.rows.filter(({ second }) => sent.has(second));
  const title = 'Heart rate, published score and states';
  return picture({ ...size, left: plot.left, title, subtitle }, [
    ...drawStressors(stream, xOf),
    ...drawHeartAxis(),
    ...drawBands(),
    line(
      heart.map(({ second, heartRate }) => `${xOf(second)},${heartY(heartRate)}`),
      colours.warm,
    ),
    line(
      stepsOf(responses).map(([second, score]) => `${xOf(second)},${scoreY(score)}`),
      colours.cool,
    ),
    ...[0, 15, 30, 45, 60]
      .filter((minute) => minute * 60 <= end)
      .map((minute) => text(xOf(minute * 60), size.height - 18, `${minute} min`, { size: 11.5, anchor: 'middle' })),
  ]);
}

function drawStressors({ rows }: HeartStream, xOf: (second: number) => number): string[] {
  const edges = rows.filter(({ isStressor }, index) => isStressor !== (rows[index - 1]?.isStressor ?? false));
  return edges.flatMap(({ isStressor, second }, index) => {
    if (!isStressor) return [];
    const until = edges[index + 1]?.second ?? rows.at(-1)?.second ?? second;
    const [x, height] = [xOf(second), plot.scoreBottom - plot.heartTop];
    return `<rect x="${x}" y="${plot.heartTop}" width="${round(xOf(until) - x)}" height="${height}" fill="${colours.shade}"/>`;
  });
}

function drawHeartAxis(): string[] {
  const marks = Array.from(
    { length: (heartRates.to - heartRates.from) / heartRates.step + 1 },
    (_, index) => heartRates.from + index * heartRates.step,
  );
  return marks
    .flatMap((bpm) => [
      gridLine(heartY(bpm)),
      text(plot.left - 8, heartY(bpm) + 4, String(bpm), { size: 11.5, anchor: 'end', fill: colours.faint }),
    ])
    .concat(text(plot.right + 10, plot.heartTop + 10, 'bpm', { size: 12, fill: colours.faint }));
}

function drawBands(): string[] {
  return bands.flatMap(({ state, min_score, max_score }) => [
    gridLine(scoreY(min_score)),
    text(plot.left - 8, scoreY(min_score) + 4, String(min_score), { size: 11.5, anchor: 'end', fill: colours.faint }),
    text(plot.right + 10, scoreY((min_score + max_score) / 2) + 4, state, { size: 12, fill: colours.faint }),
  ]);
}

function gridLine(y: number): string {
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}" stroke="${colours.grid}"/>`;
}

/** Returns the line of the published scores. A score stays published until the next reading. */
function stepsOf(responses: readonly StreamResponse[]): (readonly [second: number, score: number])[] {
  return responses.flatMap(({ second, stress_score }, index) => {
    const next = responses[index + 1]?.second;
    return next === undefined
      ? [[second, stress_score] as const]
      : [[second, stress_score] as const, [next, stress_score] as const];
  });
}

function heartY(bpm: number): number {
  const share = (bpm - heartRates.from) / (heartRates.to - heartRates.from);
  return round(plot.heartBottom - Math.min(1, Math.max(0, share)) * (plot.heartBottom - plot.heartTop));
}

function scoreY(score: number): number {
  return round(plot.scoreBottom - (score / 100) * (plot.scoreBottom - plot.scoreTop));
}
