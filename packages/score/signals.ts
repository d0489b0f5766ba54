import type { TopicName } from '../text/vocabulary.js';
import { computeLabelLogOdds } from './evidence.js';
import { modelVersion, signals as contract } from './generated/contract.js';
import { stressModel as model } from './model.js';
import type { Raised, RrQuality, TextValues, Undisputed } from './rows/session.js';
import type {
  AllSignals,
  NewestSample,
  SignalCategory,
  SignalContract,
  SignalName,
  SignalValue,
  SignalValues,
  Signals,
  SignalsUsedAs,
} from './rows/values.js';

/** Words with a sentiment up to here are neutral. A test compares it with the model of the text. */
export const neutralWords = 0.05;

/** A signal that is compared with the typical value of the person. The service also derives it from intervals. */
export type DerivedName = 'heart_rate' | 'sdnn' | 'rmssd';
/** A value that a reading may have without stating it. The service derives the sentiment from text. */
export type DerivableName = DerivedName | 'sentiment';
/** A signal that means the same for every person. */
export type LabelName = Exclude<SignalName, DerivedName>;
/** SDNN and RMSSD are one piece of evidence. */
export type EvidenceName = LabelName | 'heart_rate' | 'hrv';

/** Context that may explain a heart rate but is not evidence for stress. */
export type MovementContext = Pick<AllSignals, SignalsUsedAs<'context'>>;

/** Why a reading has no evidence: its message is in another language, or has no word that the service knows. */
export type UnreadText = 'language' | 'words';

/** Everything that a reading contains about the person, with the names of the contract. Never contains text. */
export interface ReadingContent extends AllSignals {
  /** The device that measured the heart data. */
  source_device?: string;
  /** The sample that the reading states, and its revision. The score uses neither. */
  sample_id?: string;
  sample_revision?: number;
  /** The values that the reading does not state. Absent if nothing was derived. */
  readonly derived?: readonly DerivableName[];
}

/** One reading: signals and context at one time in epoch ms. */
export interface Reading extends ReadingContent {
  readonly atMs: number;
  /** Absent if the reading contains no intervals. */
  readonly rrQuality?: RrQuality;
  /** Absent if the reading contains no subject_id. */
  readonly subjectId?: string;
  /** Set if the service derives the sentiment of a message, and cannot. */
  readonly unreadText?: UnreadText;
}

/**
 * How the score uses a signal. Unit, bounds and category are in the contract, and the age of all is `stressModel.age`.
 */
interface Scored<N extends SignalName> {
  readonly evidence: EvidenceName;
  /** Returns a positive number if `a` is more stressful than `b`. */
  readonly compare: (a: SignalValue<N>, b: SignalValue<N>) => number;
  /** True if the values of two devices differ. */
  readonly isPerDevice?: true;
}

/** `stress.ts` and `reason.ts` compute evidence and text of the other signals, because both depend on the person. */
interface Label<N extends LabelName> extends Scored<N> {
  readonly evidence: N;
  /** Returns the evidence of a fresh value, in log-odds: positive for stress, 0 for neutral. */
  readonly weigh: (value: SignalValue<N>) => number;
  /** Returns the text for the reason of a score, e.g. "tense voice". */
  readonly describe: (value: SignalValue<N>) => string;
}

type Labels = { readonly [N in LabelName]: Label<N> };
interface ScoredSignals extends Labels, Readonly<{ [N in DerivedName]: Scored<N> }> {}

/**
 * The signals that change the score. Others need no row: `context` is read by `movement.ts`, `stored only` by nothing.
 */
const scoredSignals: ScoredSignals = {
  heart_rate: { evidence: 'heart_rate', compare: higherFirst },
  sdnn: { evidence: 'hrv', compare: lowerFirst, isPerDevice: true },
  rmssd: { evidence: 'hrv', compare: lowerFirst, isPerDevice: true },
  tone: {
    evidence: 'tone',
    compare: byPoints(model.tone_points),
    weigh: (tone) => computeLabelLogOdds(model.tone_points[tone], model.reliability.tone),
    describe: (tone) => `${tone} voice`,
  },
  expression: {
    evidence: 'expression',
    compare: byPoints(model.expression_points),
    weigh: (expression) => computeLabelLogOdds(model.expression_points[expression], model.reliability.expression),
    describe: (expression) => `${expression} face`,
  },
  sentiment: {
    evidence: 'sentiment',
    compare: lowerFirst,
    // Text with a sentiment near 0 is weak evidence.
    weigh: (sentiment) =>
      -model.label_log_odds *
      model.reliability.sentiment *
      Math.sign(sentiment) *
      Math.abs(sentiment) ** model.sentiment_exponent,
    describe: (sentiment) => {
      const strength = Math.abs(sentiment) >= model.reason.sentiment_strong ? 'strongly ' : '';
      return Math.abs(sentiment) <= neutralWords
        ? 'neutral words'
        : `${strength}${sentiment < 0 ? 'negative' : 'positive'} words`;
    },
  },
  urgency: {
    evidence: 'urgency',
    compare: byPoints(model.urgency_log_odds),
    weigh: (urgency) => model.urgency_log_odds[urgency],
    describe: (urgency) => `${urgency} urgency`,
  },
};
export const labels: Labels = scoredSignals;
const rows: { readonly [N in SignalName]: Scored<N> } = scoredSignals;
export const signalNames = Object.keys(scoredSignals) as readonly SignalName[];
export const labelNames = signalNames.filter((name): name is LabelName => 'weigh' in scoredSignals[name]);

export const evidenceCategories = Object.fromEntries(
  signalNames.map((name) => [scoredSignals[name].evidence, contract[name].category]),
) as Readonly<Record<EvidenceName, SignalCategory>>;

/**
 * The signals that make a reading, with their categories. Intervals of artifacts give no value, but the sensor sent
 * them.
 */
const categories = (
  Object.entries(contract) as [keyof SignalContract, { readonly category?: SignalCategory }][]
).flatMap(([name, { category }]) => (category ? [{ name, category }] : []));
export const requiredNames = categories.map(({ name }) => name);

/** Returns the signal categories of a reading, without duplicates. */
export function listCategories(values: ReadingContent): SignalCategory[] {
  const listed: SignalCategory[] = [];
  for (const { name, category } of categories)
    if (values[name] !== undefined && !listed.includes(category)) listed.push(category);
  return listed;
}

/** Returns the values that the service estimated from the text of a reading. Undefined if there are none. */
export function listTextValues({ derived, sentiment }: ReadingContent): TextValues | undefined {
  return derived?.includes('sentiment') && sentiment !== undefined ? { sentiment } : undefined;
}

/**
 * Returns the newest value of each signal after a reading. If two values have the same timestamp, the more stressful
 * value counts, in any order of arrival.
 */
export function mergeSignals(signals: Signals, reading: Reading): Signals {
  const merged: Partial<Record<SignalName, NewestSample<SignalName>>> = {};
  for (const name of signalNames) merged[name] = findNewest(name, signals, reading);
  return merged as Signals;
}

function findNewest<N extends SignalName>(name: N, signals: Signals, reading: Reading): NewestSample<N> {
  const held: NewestSample<N> = signals[name];
  const { atMs, source_device: device } = reading;
  const value: SignalValues[N] = reading[name];
  const { compare, isPerDevice } = rows[name];
  if (value === undefined || (held && atMs < held.atMs)) return held;
  const sample = isPerDevice && device !== undefined ? { value, atMs, device } : { value, atMs };
  if (!held || atMs > held.atMs) return sample;
  const order = compare(value, held.value) || Number((sample.device ?? '') > (held.device ?? ''));
  return order > 0 ? sample : held;
}

function higherFirst(a: number, b: number): number {
  return a - b;
}

function lowerFirst(a: number, b: number): number {
  return b - a;
}

/** Orders labels by points, then by their position in the table. No two labels are equal. */
function byPoints<L extends string>(points: Readonly<Record<L, number>>): (a: L, b: L) => number {
  const ascending = (Object.keys(points) as L[]).sort((a, b) => points[a] - points[b]);
  const rank = new Map(ascending.map((label, index) => [label, index]));
  return (a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0);
}

/** One point of the history. */
export interface HistoryPoint {
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
  /** See `ComputedState`. */
  readonly isWeak?: true | undefined;
  /** See `ComputedState`. Absent in a point that no history shows. */
  readonly raised?: Raised | undefined;
  /** See `ComputedState`. Absent in a point that no history shows. */
  readonly undisputed?: Undisputed | undefined;
  /** Version of the model that computed the score. */
  readonly model: number;
  readonly measured: ReadingContent;
  /** Topics of the reading's conversation turn. Absent if there are none, and in a point that no history shows. */
  readonly topics?: readonly TopicName[];
}

/** Returns the history point of a reading. */
export function toPoint(reading: Reading, score: number, confidence: number, isWeak?: true): HistoryPoint {
  const { atMs, subjectId: _, rrQuality: __, unreadText: ___, ...measured } = reading;
  return { timestampMs: atMs, score, confidence, ...(isWeak && { isWeak }), model: modelVersion.number, measured };
}
