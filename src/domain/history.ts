import { history as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import { createInstantWriter } from './instants.js';
import type { Point } from './session.js';
import { bandOf } from './states.js';

/** Returns the points of a window as defined in the contract, oldest first. */
export function toHistory(sessionId: string, minutes: number, found: readonly Point[]): Schema<'History'> {
  const points = [...found].sort(byInstantAndStress);
  const scores = points.map(({ score }) => score);
  const writeInstant = createInstantWriter();
  return {
    session_id: sessionId,
    minutes,
    datapoints: points.map((point) => toDatapoint(point, writeInstant(point.timestampMs))),
    trend: trendOf(scores),
    summary: { transitions: countTransitions(scores), ...spreadOf(scores) },
  };
}

/** Sorts points with the same time by ascending stress, so that every deployment returns the same order. */
function byInstantAndStress(a: Point, b: Point): number {
  return (
    a.timestampMs - b.timestampMs ||
    a.score - b.score ||
    a.confidence - b.confidence ||
    (a.heartRate ?? 0) - (b.heartRate ?? 0) ||
    (a.respiratoryRate ?? 0) - (b.respiratoryRate ?? 0) ||
    compareText(a.sourceDevice ?? '', b.sourceDevice ?? '')
  );
}

/** Compares the mean of the last third with that of the first third. Too few points are stable. */
export function trendOf(scores: readonly number[]): Schema<'History'>['trend'] {
  if (scores.length < settings.trend_min_datapoints) return 'stable';
  const third = Math.floor(scores.length / 3);
  const difference = mean(scores.slice(-third)) - mean(scores.slice(0, third));
  if (Math.abs(difference) < settings.trend_threshold_points) return 'stable';
  return difference > 0 ? 'rising' : 'falling';
}

function toDatapoint(point: Point, timestamp: string): Schema<'HistoryDatapoint'> {
  const { score, confidence, heartRate, respiratoryRate, sourceDevice } = point;
  const datapoint: Schema<'HistoryDatapoint'> = {
    timestamp,
    state: bandOf(score).state,
    stress_score: score,
    confidence,
  };
  if (heartRate !== null) datapoint.heart_rate = heartRate;
  if (respiratoryRate !== null) datapoint.respiratory_rate = respiratoryRate;
  if (sourceDevice !== null) datapoint.source_device = sourceDevice;
  return datapoint;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function countTransitions(scores: readonly number[]): number {
  const states = scores.map((score) => bandOf(score).state);
  return states.filter((state, index) => index > 0 && state !== states[index - 1]).length;
}

function spreadOf(scores: readonly number[]): { min?: number; max?: number; mean?: number } {
  if (scores.length === 0) return {};
  const [first = 0] = scores;
  const min = scores.reduce((least, score) => Math.min(least, score), first);
  const max = scores.reduce((most, score) => Math.max(most, score), first);
  return { min, max, mean: Math.round(mean(scores) * 10) / 10 };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
