import { colours } from '../svg.js';
import { axisText, axisTitle, dot, gridLine, heart, line, type Scale, type TimelinePoint, yIn } from './layout.js';

/** Draws the heart rate. A missing heart rate leaves a gap. */
export function drawHeart(points: readonly TimelinePoint[], { xOf }: Scale): string[] {
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
