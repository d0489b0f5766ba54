import type { TimelinePoint } from './timeline/layout.js';

/** A reading that a chart shows. */
export interface ChartReading extends Omit<TimelinePoint, 'second'> {
  /** Time of measurement, epoch ms. */
  readonly atMs: number;
}

/** Readings of any number, in any order, from which a bounded number is kept. */
export interface ThinnedReadings {
  add(reading: ChartReading): void;
  /** Number of readings that were added. */
  count(): number;
  /** Returns the kept readings in the order of their times. */
  kept(): ChartReading[];
}

/** Several per pixel of a chart. Up to this number of readings, all are kept. */
const intervalsDefault = 2_000;
/** Readings that an interval collects at least before it is thinned. */
const collectedMin = 32;

/**
 * Keeps the readings that shape a chart: per interval of time the first, the last, the lowest and highest score and heart
 * rate, and the first of each state and topic. The intervals double when there are more than `intervalsMax`.
 */
export function createThinnedReadings(intervalsMax = intervalsDefault): ThinnedReadings {
  let intervals = new Map<number, Interval>();
  let widthMs = 1;
  let count = 0;

  const put = (reading: ChartReading) => {
    const position = Math.floor(reading.atMs / widthMs);
    const interval = intervals.get(position) ?? { readings: [], limit: collectedMin };
    interval.readings.push(reading);
    if (interval.readings.length >= interval.limit) {
      interval.readings = thinned(interval.readings);
      // Twice the rest, so that an interval with many topics is not thinned for each reading.
      interval.limit = Math.max(collectedMin, 2 * interval.readings.length);
    }
    intervals.set(position, interval);
  };
  const widen = () => {
    const narrow = intervals;
    widthMs *= 2;
    intervals = new Map();
    for (const { readings } of narrow.values()) for (const it of readings) put(it);
  };
  const rest = ({ readings }: Interval) => (widthMs > 1 ? thinned(readings) : readings);

  return {
    add(reading) {
      count += 1;
      put(reading);
      while (intervals.size > intervalsMax) widen();
    },
    count: () => count,
    kept: () => [...intervals.values()].flatMap(rest).sort(byTime),
  };
}

interface Interval {
  readings: ChartReading[];
  /** Number of readings at which they are thinned. */
  limit: number;
}

/** Returns the readings that shape the chart of an interval. Thinning them again returns the same readings. */
function thinned(readings: readonly ChartReading[]): ChartReading[] {
  const kept = new Map<string, ChartReading>();
  const keep = (role: string, reading: ChartReading, isBetter: (than: ChartReading) => boolean) => {
    const best = kept.get(role);
    if (!best || isBetter(best)) kept.set(role, reading);
  };
  for (const it of [...readings].sort(byTime)) {
    kept.set('last', it);
    for (const role of ['first', `state ${it.state}`, ...(it.topics ?? []).map((topic) => `topic ${topic}`)])
      keep(role, it, () => false);
    keep('lowest score', it, ({ score }) => it.score < score);
    keep('highest score', it, ({ score }) => it.score > score);
    const { heartRate } = it;
    if (heartRate === undefined) continue;
    keep('lowest heart rate', it, (best) => heartRate < (best.heartRate ?? 0));
    keep('highest heart rate', it, (best) => heartRate > (best.heartRate ?? 0));
  }
  return [...new Set(kept.values())];
}

function byTime(one: ChartReading, other: ChartReading): number {
  return one.atMs - other.atMs;
}
