import { parse } from 'csv-parse/sync';
import type { ExportedReading, State } from '../../clients/typescript/src/index.js';
import { drawTimeline, spansOf, type TimelinePoint } from '../terminal/timeline.js';
import type { Selection } from './export-output.js';

/** A reading that a chart shows. */
export interface ChartReading extends Omit<TimelinePoint, 'second'> {
  /** Time of measurement, epoch ms. */
  readonly atMs: number;
}

/** Returns a chart that takes the rows of an export in their order, and returns an SVG of them. */
export function createExportChart({ format, sessionId, subjectId }: Selection) {
  const readings = createThinnedReadings();
  const read = format === 'csv' ? createCsvReader() : readLines;
  const name = sessionId === undefined ? `Person ${subjectId}` : `Session ${sessionId}`;
  return {
    add: (rows: string) => read(rows).forEach(readings.add),
    draw: () => drawExport({ name, count: readings.count(), readings: readings.kept() }),
  };
}

function readLines(rows: string): ChartReading[] {
  return rows
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { reading, computed }: ExportedReading = JSON.parse(line);
      return {
        atMs: Date.parse(reading.timestamp),
        heartRate: reading.heart_rate ?? computed.heart_rate,
        score: computed.stress_score,
        state: computed.state,
        topics: computed.topics_detected,
      };
    });
}

/** The first row that the reader takes must be the header row. */
function createCsvReader(): (rows: string) => ChartReading[] {
  let columns: string[] | undefined;
  return (rows) => {
    const records: string[][] = parse(rows, { relax_column_count: true });
    columns ??= records.shift() ?? [];
    const names = columns;
    return records.map((record) => readRecord((name) => record[names.indexOf(name)] ?? ''));
  };
}

function readRecord(cell: (column: string) => string): ChartReading {
  const heartRate = cell('heart_rate') || cell('derived_heart_rate');
  return {
    atMs: Date.parse(cell('timestamp')),
    heartRate: heartRate === '' ? undefined : Number(heartRate),
    score: Number(cell('stress_score')),
    state: cell('state') as State,
    topics: cell('topics_detected').split(' ').filter(Boolean),
  };
}

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
    subtitle: [name, formatCount(count, readings.length), formatPeriod(readings)].filter(Boolean).join(', '),
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

function formatCount(count: number, shown: number): string {
  const readings = `${count.toLocaleString('en')} ${count === 1 ? 'reading' : 'readings'}`;
  return shown < count ? `${readings} (${shown.toLocaleString('en')} drawn)` : readings;
}

function formatPeriod(readings: readonly ChartReading[]): string {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last) return '';
  const formatMinute = ({ atMs }: ChartReading) => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
  return `${formatMinute(first)} to ${formatMinute(last)} UTC`;
}

/**
 * Maximum number of intervals: several per pixel of a chart. Up to this number of distinct times, every reading is
 * kept.
 */
const intervalsDefault = 2_000;

/** The readings that are kept of one interval of time, by role. The reading with the smallest value gets the role. */
type Interval = Map<string, { readonly value: number; readonly reading: ChartReading }>;

/**
 * Takes any number of readings in any order, and keeps those that shape a chart: per interval of time the first, the last,
 * the lowest and highest score and heart rate, and the first of each state and topic. The intervals double when there are
 * more than `intervalsMax`.
 */
export function createThinnedReadings(intervalsMax = intervalsDefault) {
  let intervals = new Map<number, Interval>();
  let widthMs = 1;
  let count = 0;
  const put = (reading: ChartReading) => {
    const position = Math.floor(reading.atMs / widthMs);
    const interval: Interval = intervals.get(position) ?? new Map();
    for (const [role, value] of Object.entries(readRoles(reading)))
      if (value < (interval.get(role)?.value ?? Infinity)) interval.set(role, { value, reading });
    intervals.set(position, interval);
  };
  const collect = () =>
    [...intervals.values()].flatMap((it) => [...new Set([...it.values()].map((best) => best.reading))]);
  return {
    add(reading: ChartReading) {
      count += 1;
      put(reading);
      while (intervals.size > intervalsMax) {
        const readings = collect();
        widthMs *= 2;
        intervals = new Map();
        readings.forEach(put);
      }
    },
    /** Returns the number of readings that were added. */
    count: () => count,
    /** Returns the kept readings in the order of their times. */
    kept: () => collect().sort((a, b) => a.atMs - b.atMs),
  };
}

/** Returns the roles that a reading may have in its interval. The reading with the smallest value gets the role. */
function readRoles({ atMs, score, heartRate, state, topics = [] }: ChartReading): Record<string, number> {
  return {
    ...{ first: atMs, last: -atMs, lowestScore: score, highestScore: -score },
    ...(heartRate !== undefined && { lowestHeartRate: heartRate, highestHeartRate: -heartRate }),
    ...Object.fromEntries([`state ${state}`, ...topics.map((topic) => `topic ${topic}`)].map((role) => [role, atMs])),
  };
}
