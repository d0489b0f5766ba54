import { scoreMax } from '../../../../generated/spec.js';
import type { Point } from '../points.js';
import { svg } from '../dom.js';
import { type Layout, type Span, xOf, yOf } from './layout.js';

/** A longer pause between two readings leaves a gap in the line. */
const pauseMs = 120_000;

/** Returns the lines of score and heart rate. `bounds` are those of the heart rate's axis, if there is one. */
export function linesOf(
  layout: Layout,
  points: readonly Point[],
  bounds: readonly [low: number, high: number] | undefined,
): SVGElement[] {
  const heart = points.flatMap(({ atMs, sent }) =>
    sent.heart_rate === undefined ? [] : [{ atMs, value: sent.heart_rate }],
  );
  const score = points.map((it) => ({ atMs: it.atMs, value: it.score }));
  return [
    ...lineOf('line-score', layout, layout.score, score, [0, scoreMax]),
    ...(bounds ? lineOf('line-heart', layout, layout.heart, heart, bounds) : []),
  ];
}

interface Value {
  readonly atMs: number;
  readonly value: number;
}

/** Returns a path, and a dot per value that has no neighbor to be connected with. */
function lineOf(
  name: string,
  layout: Layout,
  span: Span,
  values: readonly Value[],
  [low, high]: readonly [number, number],
): SVGElement[] {
  const runs = runsOf(values);
  const place = ({ atMs, value }: Value) =>
    [xOf(layout, atMs).toFixed(1), yOf(span, value, low, high).toFixed(1)] as const;
  const path = runs
    .filter((run) => run.length > 1)
    .map((run) => run.map((it, index) => `${index === 0 ? 'M' : 'L'}${place(it).join(' ')}`).join(''))
    .join('');
  const dots = runs
    .filter((run) => run.length === 1)
    .flatMap((run) => run.map(place))
    .map(([cx, cy]) => svg('circle', { class: `${name} dot`, cx, cy, r: 2.5 }));
  return [...(path === '' ? [] : [svg('path', { class: name, d: path })]), ...dots];
}

function runsOf(values: readonly Value[]): Value[][] {
  const runs: Value[][] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value.atMs - lastMs > pauseMs) runs.push([]);
    runs.at(-1)?.push(value);
    lastMs = value.atMs;
  }
  return runs;
}
