import { stressModel as model } from '../../generated/spec.js';
import type { Schema, SignalCategory, Submission } from '../contract.js';

export type SignalName = 'heart_rate' | 'sdnn' | 'rmssd' | 'tone' | 'expression' | 'sentiment' | 'urgency';

/** Signals of one reading, within the bounds of the contract. An absent signal was not measured. */
export type SignalValues = Pick<Submission, SignalName>;

/** Context that may explain a heart rate but is not evidence for stress. */
export type Context = Pick<Submission, 'activity_level' | 'steps_last_minute'>;

/** Fields that are not evidence and explain nothing. `source_device` names the device of the heart data. */
export type Recorded = Pick<Submission, 'respiratory_rate' | 'source_device'>;

/** Values that the service derives from beat-to-beat intervals if the reading does not state them. */
export type DerivedName = 'heart_rate' | 'sdnn' | 'rmssd';

/** Everything that a reading contains about the person, with the names of the contract. Never contains text. */
export interface Measured extends SignalValues, Context, Recorded, Pick<Submission, 'rr_intervals_ms'> {
  /** The values that the reading does not state. Absent if nothing was derived. */
  readonly derived?: readonly DerivedName[];
}

/** One reading: signals and context at one time, epoch ms. */
export interface Reading extends Measured {
  readonly atMs: number;
  /** Absent if the reading contains no intervals. */
  readonly rrQuality?: Schema<'RrQuality'>;
  /** Absent if the reading contains no subject_id. */
  readonly subjectId?: string;
}

/** A value with the time of its measurement, epoch ms. */
export interface Sample<T> {
  readonly value: T;
  readonly atMs: number;
  /** Device that measured the heart rate variability. Absent for other signals and without a name. */
  readonly device?: string | undefined;
}

/** Newest value of each signal of a session. A signal is absent if it was never measured. */
export type Signals = { readonly [N in SignalName]?: Sample<NonNullable<SignalValues[N]>> | undefined };

export const categoryOf: { readonly [N in SignalName]: SignalCategory } = {
  heart_rate: 'cardiovascular',
  sdnn: 'cardiovascular',
  rmssd: 'cardiovascular',
  tone: 'vocal',
  expression: 'visual',
  sentiment: 'textual',
  urgency: 'textual',
};
export const signalNames = Object.keys(categoryOf) as readonly SignalName[];

/** Returns the signal categories of a reading, without duplicates. */
export function categoriesOf(values: Measured): SignalCategory[] {
  const categories = signalNames.filter((name) => values[name] !== undefined).map((name) => categoryOf[name]);
  // Intervals that are all artifacts give no value, but the sensor sent them.
  return [...new Set(values.rr_intervals_ms ? ['cardiovascular' as const, ...categories] : categories)];
}

/** Returns a positive number if `a` is the more stressful of two values. */
type CompareStress<T> = (a: T, b: T) => number;

const higherFirst: CompareStress<number> = (a, b) => a - b;
const lowerFirst: CompareStress<number> = (a, b) => b - a;
const harsherTone = byPoints(model.tone_points);
const harsherExpression = byPoints(model.expression_points);
const moreUrgent = byPoints(model.urgency_log_odds);

/**
 * Returns the newest value of each signal after a reading. If two values have the same timestamp, the more stressful
 * value counts, in any order of arrival.
 */
export function mergeSignals(signals: Signals, reading: Reading): Signals {
  const { atMs, source_device: device } = reading;
  return {
    heart_rate: newest(signals.heart_rate, reading.heart_rate, atMs, higherFirst),
    sdnn: newest(signals.sdnn, reading.sdnn, atMs, lowerFirst, device),
    rmssd: newest(signals.rmssd, reading.rmssd, atMs, lowerFirst, device),
    tone: newest(signals.tone, reading.tone, atMs, harsherTone),
    expression: newest(signals.expression, reading.expression, atMs, harsherExpression),
    sentiment: newest(signals.sentiment, reading.sentiment, atMs, lowerFirst),
    urgency: newest(signals.urgency, reading.urgency, atMs, moreUrgent),
  };
}

function newest<T>(
  held: Sample<T> | undefined,
  value: T | undefined,
  atMs: number,
  compare: CompareStress<T>,
  device?: string,
): Sample<T> | undefined {
  if (value === undefined || (held && atMs < held.atMs)) return held;
  const sample = device === undefined ? { value, atMs } : { value, atMs, device };
  if (!held || atMs > held.atMs) return sample;
  const order = compare(value, held.value) || Number((device ?? '') > (held.device ?? ''));
  return order > 0 ? sample : held;
}

/** Orders labels by points, then by their position in the table. No two labels are equal. */
function byPoints<L extends string>(points: Readonly<Record<L, number>>): CompareStress<L> {
  const ascending = (Object.keys(points) as L[]).sort((a, b) => points[a] - points[b]);
  const rank = new Map(ascending.map((label, index) => [label, index]));
  return (a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0);
}
