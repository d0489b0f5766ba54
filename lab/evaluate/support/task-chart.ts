import { bands } from '../../../generated/spec.js';
import type { FindSide } from '../../../packages/tools/evaluate/evaluation.js';
import type { AnsweredScore } from '../../../packages/tools/evaluate/variants.js';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { colors, picture, round, text } from '../../svg.js';

/** One column of the chart, with the scores of all its windows. */
export interface TaskScores {
  readonly task: string;
  readonly isStressor: boolean;
  readonly scores: readonly number[];
}

const size = { width: 900, height: 420 };
const plot = { left: 44, right: 810, top: 74, bottom: 356 };
const barWidth = 18;

/** Returns the scores of each task in protocol order. */
export function scoresByTask(
  order: readonly string[],
  answers: readonly AnsweredScore[],
  sideOf: FindSide,
): TaskScores[] {
  return order.map((task) => {
    const ofTask = answers.filter(({ window }) => window.task === task);
    const isStressor = ofTask.some(({ window }) => sideOf(window) === 'stressor');
    return { task, isStressor, scores: ofTask.map(({ score }) => score).sort((a, b) => a - b) };
  });
}

/** Returns an SVG of 900 by 420 px: median and quartiles of the scores per task, with stressor tasks shaded. */
export function drawTasks(tasks: readonly TaskScores[], title: string, subtitle: string): string {
  const step = (plot.right - plot.left) / tasks.length;
  const columns = tasks.map((task, index) => ({ ...task, middle: plot.left + (index + 0.5) * step }));
  const medians = columns.map(({ middle, scores }) => `${round(middle)},${toY(quantile(scores, 0.5))}`);
  return picture({ ...size, left: plot.left, title, subtitle }, [
    ...findRuns(tasks).map(({ from, to }) => shade(plot.left + from * step, (to - from) * step)),
    ...drawBands(),
    `<polyline points="${medians.join(' ')}" fill="none" stroke="${colors.faint}" stroke-width="1.5"/>`,
    ...columns.map(drawQuartiles),
    ...columns.map(({ middle, task }) => text(middle, plot.bottom + 18, task, { size: 10.5, anchor: 'middle' })),
    ...drawLegend(),
  ]);
}

/** Draws a line at each edge of a band, and the name of the band next to its middle. */
function drawBands(): string[] {
  const edges = [...bands.map(({ min_score }) => min_score), bands.at(-1)?.max_score ?? 0];
  const lines = edges.flatMap((score) => [
    `<line x1="${plot.left}" x2="${plot.right}" y1="${toY(score)}" y2="${toY(score)}" stroke="${colors.grid}"/>`,
    text(plot.left - 8, toY(score) + 4, String(score), { size: 11.5, anchor: 'end', fill: colors.faint }),
  ]);
  const names = bands.map(({ state, min_score }, index) => {
    const middle = toY((min_score + (edges[index + 1] ?? min_score)) / 2);
    return text(plot.right + 10, middle + 4, state, { size: 12, fill: colors.faint });
  });
  return [...lines, ...names];
}

function drawQuartiles({ scores, middle, isStressor }: TaskScores & { middle: number }): string {
  if (scores.length === 0) return '';
  const [top, median, bottom] = [toY(quantile(scores, 0.75)), toY(quantile(scores, 0.5)), toY(quantile(scores, 0.25))];
  const color = isStressor ? colors.warm : colors.cool;
  return (
    drawBar(round(middle - barWidth / 2), top, round(bottom - top), color) + drawDot(round(middle), median, 4.5, color)
  );
}

function drawLegend(): string[] {
  const y = size.height - 18;
  const key = (x: number, color: string, label: string) => [
    drawBar(x, y - 10, 12, color),
    drawDot(x + barWidth / 2, y - 4, 4, color),
    text(x + barWidth + 8, y, label, { size: 12 }),
  ];
  return [
    ...key(plot.left, colors.cool, 'rest or baseline'),
    ...key(plot.left + 150, colors.warm, 'stressor task (shaded)'),
    text(plot.right, y, 'dot: median · bar: middle half of windows', { size: 12, anchor: 'end', fill: colors.faint }),
  ];
}

function drawBar(x: number, y: number, height: number, color: string): string {
  return `<rect x="${x}" y="${y}" width="${barWidth}" height="${height}" rx="3" fill="${color}" fill-opacity="0.3"/>`;
}

function drawDot(x: number, y: number, radius: number, color: string): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${color}"/>`;
}

/** Returns the ranges of adjacent stressor tasks, which share one shaded area. `to` is the index after the last task. */
function findRuns(tasks: readonly TaskScores[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const [index, { isStressor }] of tasks.entries()) {
    const last = runs.at(-1);
    if (isStressor && last?.to === index) last.to += 1;
    else if (isStressor) runs.push({ from: index, to: index + 1 });
  }
  return runs;
}

function shade(x: number, width: number): string {
  const height = plot.bottom - plot.top;
  return `<rect x="${round(x)}" y="${plot.top}" width="${round(width)}" height="${height}" fill="${colors.shade}"/>`;
}

function toY(score: number): number {
  return round(plot.bottom - (score / 100) * (plot.bottom - plot.top));
}
