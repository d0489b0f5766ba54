import { spansOf } from './replay-timeline.js';
import type { ChartReading } from './thinned-readings.js';
import { drawTimeline } from './timeline.js';
import type { TimelinePoint } from './timeline/layout.js';

export interface ExportChart {
  /** Session or person of the readings, e.g. "Session demo". */
  readonly name: string;
  /** Number of readings in the export. `readings` may be fewer. */
  readonly count: number;
  /** In the order of their times. */
  readonly readings: readonly ChartReading[];
}

/** Shortest time without a reading that is shaded, s. */
const pauseSecondsMin = 600;
/** Shortest shaded part of the time axis. Less would be a few pixels wide. */
const pauseShareMin = 1 / 50;

/** Returns an SVG of the readings of a session or person. Shades times without readings. */
export function drawExport({ name, count, readings }: ExportChart): string {
  const startMs = readings[0]?.atMs ?? 0;
  const all = readings.map(({ atMs, ...reading }) => ({ ...reading, second: (atMs - startMs) / 1000 }));
  const pause = Math.max(pauseSecondsMin, (all.at(-1)?.second ?? 0) * pauseShareMin);
  const points = all.flatMap((point, index) => withPause(point, all[index + 1], pause));
  return drawTimeline({
    title: 'Heart rate, stress score and states',
    subtitle: [name, countOf(count, readings.length), periodOf(readings)].filter(Boolean).join(', '),
    points,
    shaded: spansOf(points, ({ isPause }) => isPause),
    shadedAs: 'no readings',
  });
}

interface ExportPoint extends TimelinePoint {
  readonly isPause: boolean;
}

/** Returns a point, and a point that interrupts the line of the heart rate if a pause follows. */
function withPause(point: TimelinePoint, next: TimelinePoint | undefined, pause: number): ExportPoint[] {
  const points = [{ ...point, isPause: false }];
  if (!next || next.second - point.second <= pause) return points;
  return [...points, { ...point, heartRate: undefined, topics: [], isPause: true }];
}

function countOf(count: number, shown: number): string {
  const readings = `${count.toLocaleString('en')} ${count === 1 ? 'reading' : 'readings'}`;
  return shown < count ? `${readings} (${shown.toLocaleString('en')} drawn)` : readings;
}

function periodOf(readings: readonly ChartReading[]): string {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last) return '';
  const minuteOf = ({ atMs }: ChartReading) => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
  return `${minuteOf(first)} to ${minuteOf(last)} UTC`;
}
