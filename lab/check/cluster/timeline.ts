import { quantile } from '../../../packages/tools/terminal/quantile.js';

/** Records of the acknowledged readings of a run. */
export interface Timeline {
  /** Records a reading and the time from its first request to its acknowledgment, ms. */
  record(waitedMs: number): void;
  /** Records that something happened, e.g. that a node was killed. */
  mark(what: string): void;
  pauses(): Pauses;
}

export interface Pauses {
  /** Longest time in which no reading of any session was acknowledged, ms. */
  readonly longestMs: number;
  /** `longestMs` of the pauses after each kind of mark. A pause belongs to the last mark before its end. */
  readonly longestMsAfter: Readonly<Record<string, number>>;
  /** Longest time from the first request with a reading to its acknowledgment, ms. */
  readonly longestWaitMs: number;
  /** 99th percentile and median of the time to the acknowledgment, ms. */
  readonly waitP99Ms: number;
  readonly waitP50Ms: number;
  /** Highest number of readings in one second. */
  readonly peakPerSecond: number;
}

const secondMs = 1_000;

/** Starts an empty timeline. `now` is a monotonic clock, ms. */
export function startTimeline(now: () => number = () => performance.now()): Timeline {
  const atMs: number[] = [];
  const waitsMs: number[] = [];
  const marks: Mark[] = [];
  return {
    record(waitedMs) {
      atMs.push(now());
      waitsMs.push(waitedMs);
    },
    mark: (what) => void marks.push({ what, atMs: now() }),
    pauses() {
      return {
        longestMs: maxOf(atMs.map((at, index) => at - (atMs[index - 1] ?? at))),
        longestMsAfter: longestAfter(atMs, marks),
        longestWaitMs: maxOf(waitsMs),
        waitP99Ms: quantile(waitsMs, 0.99),
        waitP50Ms: quantile(waitsMs, 0.5),
        peakPerSecond: peakOf(atMs),
      };
    },
  };
}

interface Mark {
  readonly what: string;
  readonly atMs: number;
}

/** Assigns each pause to the last mark before its end. The times ascend. */
function longestAfter(atMs: readonly number[], marks: readonly Mark[]): Record<string, number> {
  const longest: Record<string, number> = {};
  for (const [index, at] of atMs.entries()) {
    const { what } = marks.findLast((mark) => mark.atMs <= at) ?? { what: 'the start' };
    longest[what] = Math.max(longest[what] ?? 0, at - (atMs[index - 1] ?? at));
  }
  return longest;
}

function maxOf(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), 0);
}

/** Returns the highest number of times in an interval of one second. The times ascend. */
function peakOf(atMs: readonly number[]): number {
  let peak = 0;
  let from = 0;
  for (const [to, at] of atMs.entries()) {
    while ((atMs[from] as number) <= at - secondMs) from += 1;
    peak = Math.max(peak, to - from + 1);
  }
  return peak;
}
