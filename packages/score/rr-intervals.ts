import { signals as contract } from './generated/contract.js';
import { rrIntervals as settings } from './model.js';
import type { IntervalBatch, RrQuality } from './rows/session.js';
import type { DerivedName, Reading } from './signals.js';

/** An interval that ends with a beat at `endMs`, in epoch ms. */
export interface Beat {
  readonly endMs: number;
  readonly intervalMs: number;
}

const windowMs = settings.window_seconds * 1_000;
const leastMs = settings.least_seconds * 1_000;
const gapMs = settings.gap_seconds * 1_000;
/** Maximum number of stored intervals: five minutes at 240 bpm. */
const storedMax = 1_200;
/**
 * Maximum size of the stored intervals as JSON, in bytes. A session stores them up to twice (also for its backfilled
 * readings), and a row of MySQL has 65,535 bytes. Five minutes fit, unless a reading has only one or two intervals.
 */
const storedBytesMax = 16_000;

/**
 * Returns the reading with heart rate (bpm), SDNN and RMSSD (ms), derived from its intervals and earlier intervals of
 * the same device. A value that the reading states is not changed. The result depends only on intervals up to the
 * reading's timestamp, so the order of arrival of later readings has no effect.
 */
export function addDerivedVariability(reading: Reading, batches: readonly IntervalBatch[]): Reading {
  const { atMs, rr_intervals_ms: intervals, source_device: device } = reading;
  if (!intervals) return reading;
  const isEarlier = (it: IntervalBatch) => it.device === device && it.atMs < atMs && it.atMs > atMs - windowMs;
  const earlier = batches.filter(isEarlier);
  const beats = joinBeats([...earlier, { atMs, intervals }]).filter(({ endMs }) => endMs > atMs - windowMs);
  const normal = findNormalBeats(beats);
  const own = normal.filter((_, index) => (beats[index]?.endMs ?? 0) > (earlier.at(-1)?.atMs ?? 0));
  const rrQuality = judgeQuality(beats, normal);
  const variability = rrQuality === 'usable' ? computeVariability(normal) : {};
  const derived = keepDefined({
    heart_rate: computeHeartRate(own, earlier.length === 0 ? intervals : []),
    sdnn: within('sdnn', variability.sdnn),
    rmssd: within('rmssd', variability.rmssd),
  });
  const absent = (Object.keys(derived) as DerivedName[]).filter((name) => reading[name] === undefined);
  const names = [...absent, ...(reading.derived ?? [])];
  return { ...derived, ...reading, rrQuality, ...(names.length > 0 && { derived: names }) };
}

/** Returns the batches that later readings require, with the intervals of this reading, oldest first. */
export function storeIntervals(
  batches: readonly IntervalBatch[] | undefined,
  { atMs, rr_intervals_ms: intervals, source_device: device }: Reading,
): readonly IntervalBatch[] | undefined {
  if (!intervals) return batches;
  const all = [...(batches ?? []), { atMs, intervals, device }].sort(byTimeAndContent);
  const newestMs = all.at(-1)?.atMs ?? atMs;
  const recent = all.filter((it) => it.atMs > newestMs - windowMs);
  let count = addUp(recent.map((it) => it.intervals.length));
  let bytes = addUp(recent.map(storedBytes));
  for (let oldest = recent[0]; oldest && (count > storedMax || bytes > storedBytesMax); oldest = recent[0]) {
    count -= oldest.intervals.length;
    bytes -= storedBytes(oldest);
    recent.shift();
  }
  return recent;
}

/** Returns the size of a batch as JSON, in bytes. An interval has at most four digits. */
function storedBytes({ intervals, device }: IntervalBatch): number {
  const label = device === undefined ? 0 : JSON.stringify(device).length + ',"device":'.length;
  return '{"atMs":1700000000000,"intervals":[]},'.length + 5 * intervals.length + label;
}

/**
 * Returns SDNN and RMSSD as defined by the Task Force of the ESC and NASPE (1996), in ms. `undefined` marks an artifact:
 * it is left out, together with its differences to the adjacent intervals. Returns nothing for less than 30 s of normal
 * intervals.
 */
export function computeVariability(normal: ReadonlyArray<Beat | undefined>): { sdnn?: number; rmssd?: number } {
  const intervals = normal.flatMap((beat) => beat?.intervalMs ?? []);
  if (addUp(intervals) < leastMs) return {};
  const mean = addUp(intervals) / intervals.length;
  const variance = addUp(intervals.map((it) => (it - mean) ** 2)) / (intervals.length - 1);
  const squares = squaredDifferences(normal);
  if (squares.length === 0) return { sdnn: Math.sqrt(variance) };
  return { sdnn: Math.sqrt(variance), rmssd: Math.sqrt(addUp(squares) / squares.length) };
}

/**
 * Returns `unusable` if most intervals are artifacts, or if RMSSD is too large for any breathing rhythm. The filter
 * adapts to the window, so it cannot find artifacts that are more frequent than normal intervals.
 */
function judgeQuality(beats: readonly Beat[], normal: ReadonlyArray<Beat | undefined>): RrQuality {
  const leftOut = normal.filter((beat) => !beat).length / beats.length;
  const squares = squaredDifferences(normal);
  const rmssd = Math.sqrt(addUp(squares) / Math.max(1, squares.length));
  const share = rmssd / findMedian(beats.map(({ intervalMs }) => intervalMs));
  const isUnusable = leftOut > settings.left_out_share_max || share > settings.variability_share_max;
  return isUnusable ? 'unusable' : 'usable';
}

/**
 * Replaces artifacts by `undefined`. An artifact differs by more than 20 % from the median of the intervals around it,
 * or lies beside a misplaced peak. An ectopic beat and a peak that the sensor detects early or late shorten one
 * interval and lengthen the next, so the difference of these two intervals is large. The limits are higher for a person
 * whose intervals differ much, e.g. while breathing deeply. `npm run lab -- evaluate rr` measures them.
 */
export function findNormalBeats(beats: readonly Beat[]): Array<Beat | undefined> {
  const medians = slidingMedians(
    beats.map(({ intervalMs }) => intervalMs),
    settings.neighbors,
  );
  const deviations = beats.map(({ intervalMs }, index) => intervalMs / (medians[index] ?? intervalMs) - 1);
  const spread = findMedian(deviations.map(Math.abs));
  const limit = Math.max(settings.artifact_share, settings.artifact_spreads * spread);
  const isMisplaced = findMisplacedPeaks(beats);
  return beats.map((beat, index) => {
    const isArtifact = Math.abs(deviations[index] ?? 0) > limit || isMisplaced[index] || isMisplaced[index + 1];
    return isArtifact ? undefined : beat;
  });
}

/** Returns for each beat whether the peak between its interval and the previous interval is misplaced. */
function findMisplacedPeaks(beats: readonly Beat[]): boolean[] {
  const differences = beats.map((beat, index) => computeDifference(beats[index - 1], beat) ?? 0);
  const typicalMs = findMedian(differences.map(Math.abs));
  const limitMs = Math.max(settings.difference_ms, settings.difference_medians * typicalMs);
  return differences.map((own, index) => {
    const [before = 0, after = 0] = [differences[index - 1], differences[index + 1]];
    const alternates = before * own < 0 || own * after < 0;
    return Math.abs(own) > limitMs * (alternates ? 1 : settings.lone_difference);
  });
}

/** Returns the beats of the batches, oldest first. Excludes beats that a client has sent again. */
function joinBeats(batches: readonly IntervalBatch[]): Beat[] {
  const beats: Beat[] = [];
  for (const { atMs, intervals } of batches) {
    let endMs = atMs - addUp(intervals);
    const resent = countResent(beats, intervals, endMs);
    intervals.forEach((intervalMs, index) => {
      endMs += intervalMs;
      if (index >= resent) beats.push({ endMs, intervalMs });
    });
  }
  return beats;
}

/**
 * Returns how many intervals at the start of a batch repeat the last known intervals, because some clients resend them.
 * The times must overlap too, with a tolerance of half an interval, because straps measure equal intervals in a row.
 */
function countResent(beats: readonly Beat[], intervals: readonly number[], startMs: number): number {
  const last = beats.at(-1);
  if (!last) return 0;
  const isSame = (count: number) =>
    intervals.slice(0, count).every((it, index) => it === beats[beats.length - count + index]?.intervalMs);
  for (let count = Math.min(beats.length, intervals.length); count > 0; count -= 1) {
    // The first comparison is cheap and rules out most counts.
    if (intervals[count - 1] !== last.intervalMs || !isSame(count)) continue;
    const endsMs = startMs + addUp(intervals.slice(0, count));
    if (endsMs < last.endMs + last.intervalMs / 2) return count;
  }
  return 0;
}

function squaredDifferences(beats: ReadonlyArray<Beat | undefined>): number[] {
  return beats.flatMap((beat, index) => {
    const difference = computeDifference(beats[index - 1], beat);
    return difference === undefined ? [] : [difference ** 2];
  });
}

/**
 * Returns the difference of two adjacent intervals, in ms. Undefined if one is an artifact or if a gap separates them.
 */
function computeDifference(previous: Beat | undefined, beat: Beat | undefined): number | undefined {
  if (!previous || !beat || beat.endMs - beat.intervalMs - previous.endMs > gapMs) return undefined;
  return beat.intervalMs - previous.intervalMs;
}

/**
 * Returns the heart rate of a reading's own beats. The first reading of a session has a heart rate even if all
 * intervals are artifacts.
 */
function computeHeartRate(own: ReadonlyArray<Beat | undefined>, first: readonly number[]): number | undefined {
  const intervals = own.flatMap((beat) => beat?.intervalMs ?? []);
  if (intervals.length > 0) return within('heart_rate', (60_000 * intervals.length) / addUp(intervals));
  return first.length > 0 ? within('heart_rate', 60_000 / findMedian(first)) : undefined;
}

/**
 * Rounds to one decimal and limits the value to the bounds of the contract. Undefined for intervals without variation.
 */
function within(name: 'heart_rate' | 'sdnn' | 'rmssd', value: number | undefined): number | undefined {
  const { minimum, maximum } = contract[name];
  if (value === undefined || (name !== 'heart_rate' && value < minimum)) return undefined;
  return Math.round(10 * Math.min(maximum, Math.max(minimum, value))) / 10;
}

function byTimeAndContent(a: IntervalBatch, b: IntervalBatch): number {
  return a.atMs - b.atMs || (`${a.intervals} ${a.device}` < `${b.intervals} ${b.device}` ? -1 : 1);
}

function keepDefined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** Returns the median of each value with the `neighbors` values before and after it. */
function slidingMedians(values: readonly number[], neighbors: number): number[] {
  const sorted = values.slice(0, neighbors).sort((a, b) => a - b);
  return values.map((_, index) => {
    const entering = values[index + neighbors];
    const leaving = values[index - neighbors - 1];
    if (leaving !== undefined) sorted.splice(sorted.indexOf(leaving), 1);
    if (entering !== undefined) sorted.splice(firstAbove(sorted, entering), 0, entering);
    return findMiddle(sorted);
  });
}

function firstAbove(sorted: readonly number[], value: number): number {
  const index = sorted.findIndex((it) => it > value);
  return index === -1 ? sorted.length : index;
}

function findMedian(values: readonly number[]): number {
  return findMiddle([...values].sort((a, b) => a - b));
}

function findMiddle(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function addUp(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
