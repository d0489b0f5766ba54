import { fields, history as settings, signals } from '../../generated/spec.js';
import type { Schema } from './contract.js';
import { writeNames } from './whose.js';
import type { ReadingContent, HistoryPoint } from '../../packages/score/signals.js';
import { findBand } from '../../packages/score/states.js';
import { toEvidence, toRaised, toScoredBefore } from './state-reading.js';

/** The parts of a reading that the contract shows in the history. */
const datapointSignals = fields.HistoryDatapoint.filter(
  (name): name is Extract<typeof name, keyof ReadingContent> => name in signals || name === 'source_device',
);

/** Number of points that are converted without a pause. */
const partPoints = 250;

/** A point of the history of a person, with its session if it is shown. The points of a session have none. */
type PointOfPerson = HistoryPoint & { readonly sessionId?: string | undefined };

/**
 * Returns the points of a window as defined in the contract, oldest first. `named` contains the id of the session or
 * person. Calls `pause` with the number of points of each part.
 */
export async function toHistory(
  named: Pick<Schema<'History'>, 'session_id' | 'subject_id'>,
  minutes: number,
  found: readonly PointOfPerson[],
  pause?: (points: number) => Promise<void>,
): Promise<Schema<'History'>> {
  const points = [...found].sort(byTimeAndStress);
  const scores = points.filter(({ confidence }) => confidence > 0).map(({ score }) => score);
  const writeInstant = createTimestampFormatter();
  const datapoints: Schema<'History'>['datapoints'] = [];
  for (let from = 0; from < points.length; from += partPoints) {
    const part = points.slice(from, from + partPoints);
    datapoints.push(...part.map((point) => toDatapoint(point, writeInstant(point.timestampMs))));
    await pause?.(part.length);
  }
  return {
    ...named,
    minutes,
    datapoints,
    trend: computeTrend(scores),
    summary: { transitions: countTransitions(scores), ...computeSpread(scores) },
  };
}

/**
 * Sorts by time. Points with the same timestamp are sorted by ascending stress, so that every deployment returns the
 * same order.
 */
function byTimeAndStress(a: PointOfPerson, b: PointOfPerson): number {
  return (
    a.timestampMs - b.timestampMs ||
    a.score - b.score ||
    a.confidence - b.confidence ||
    (a.measured.heart_rate ?? 0) - (b.measured.heart_rate ?? 0) ||
    compareText(JSON.stringify(a.measured), JSON.stringify(b.measured)) ||
    compareText(a.sessionId ?? '', b.sessionId ?? '')
  );
}

/**
 * Returns the trend: compares the mean of the last third with the mean of the first third. Too few points are stable.
 */
export function computeTrend(scores: readonly number[]): Schema<'History'>['trend'] {
  if (scores.length < settings.trend_min_datapoints) return 'stable';
  const third = Math.floor(scores.length / 3);
  const difference = mean(scores.slice(-third)) - mean(scores.slice(0, third));
  if (Math.abs(difference) < settings.trend_threshold_points) return 'stable';
  return difference > 0 ? 'rising' : 'falling';
}

function toDatapoint(point: PointOfPerson, timestamp: string): Schema<'HistoryDatapoint'> {
  const { sessionId, score, confidence, model, measured, topics } = point;
  const datapoint: Schema<'HistoryDatapoint'> = {
    timestamp,
    ...writeNames({ sessionId }),
    state: findBand(score).state,
    stress_score: score,
    ...toScoredBefore(point),
    confidence,
    ...toEvidence(point),
    ...toRaised(point),
    model_version: model,
  };
  for (const name of datapointSignals)
    if (measured[name] !== undefined) Object.assign(datapoint, { [name]: measured[name] });
  if (topics) datapoint.topics_detected = [...topics];
  return datapoint;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function countTransitions(scores: readonly number[]): number {
  const states = scores.map((score) => findBand(score).state);
  return states.filter((state, index) => index > 0 && state !== states[index - 1]).length;
}

function computeSpread(scores: readonly number[]): { min?: number; max?: number; mean?: number } {
  if (scores.length === 0) return {};
  const [first = 0] = scores;
  const min = scores.reduce((least, score) => Math.min(least, score), first);
  const max = scores.reduce((most, score) => Math.max(most, score), first);
  return { min, max, mean: Math.round(mean(scores) * 10) / 10 };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const minuteMs = 60_000;

const seconds = Array.from({ length: 60 }, (_, second) => String(second).padStart(2, '0'));
const fractions = Array.from({ length: 1000 }, (_, ms) => `.${String(ms).padStart(3, '0')}Z`);

/**
 * Creates a function that formats timestamps (epoch ms) like `toISOString`. It caches the minute and precomputes
 * seconds and milliseconds. An hour of history contains thousands of timestamps, so this reduces garbage collection
 * pressure.
 */
export function createTimestampFormatter(): (timestampMs: number) => string {
  let minute: number | undefined;
  let written = '';
  return (timestampMs) => {
    const current = Math.floor(timestampMs / minuteMs);
    if (current !== minute) written = new Date(current * minuteMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:'.length);
    minute = current;
    const rest = timestampMs - current * minuteMs;
    const second = Math.floor(rest / 1000);
    return written + ((seconds[second] as string) + (fractions[rest - second * 1000] as string));
  };
}
