import { newBitSet } from '../../src/domain/topics/bit-set.js';
import { type BucketList, concernBits, createConcernFeatures, type GateText } from '../../src/domain/topics/concern.js';
import {
  createFeatureLister,
  type FeatureIndex,
  type FeatureList,
  lexiconBits,
  noKnownRows,
} from '../../src/domain/topics/features.js';
import { createFinder } from '../../src/domain/topics/findings.js';
import { compileLexicon, lexiconFingerprint, numberIn } from '../../src/domain/topics/lexicon.js';
import { classTotal } from '../../src/domain/topics/model.js';
import { phrasePointsMin } from '../../src/domain/topics/analyzer.js';
import { createTokenizer, type Words, wordsMax } from '../../src/domain/topics/tokens.js';
import { areas, type Area } from '../../src/domain/topics/vocabulary.js';
import { encodeWeights, type LinearWeights, type TopicWeights } from '../../src/domain/topics/weights.js';
import { type Example, fitLinear, type FitOptions } from './fit-linear.js';
import type { SadRow } from './sad.js';
import type { LabeledText } from './texts.js';

/** A text with its area, for the area model. */
export interface AreaText {
  readonly text: string;
  readonly area: Area | 'none';
  readonly weight: number;
}

/** Options of the area model. Families: words, letter sequences, lexicon. */
const areaOptions: FitOptions = {
  classTotal,
  families: [16, 16, lexiconBits].map((bits) => ({ bits, scale: 1 })),
  // Best of 1/8, 1/4, 1/2, 1, 1.4 and 2 in cross-validation.
  pull: 1,
  stepsMax: 40,
};
/** Exponent that determines the weight of rare areas. */
const AREA_BALANCE = 0.4;
/**
 * Options of the concern gate. Families: forms, then words. Forms have the higher weight, because they transfer better
 * to kinds of text outside of the training data.
 */
const concernOptions: FitOptions = {
  classTotal: 2,
  families: [
    { bits: concernBits, scale: 1 },
    { bits: concernBits, scale: 0.7 },
  ],
  pull: 1,
  stepsMax: 60,
};
/** Exponent of a kind's total weight, applied to its number of texts, so that no large file dominates. */
const KIND_POWER = 0.6;
/**
 * Weight of a question to a counselor relative to a SAD sentence. The weight is divided among the segments of the
 * question.
 */
const COUNSELING_WEIGHT = 0.5;

/** Maximum number of progress reports per training. */
export const stepsMax = areaOptions.stepsMax + concernOptions.stepsMax;

const lexicon = compileLexicon();
const tokenizer = createTokenizer();
const find = createFinder(lexicon);
const listConcernFeatures = createConcernFeatures(lexicon);
/** A lexicon index without weights, in which each bucket has its own row. */
const [words, runs, classes] = areaOptions.families.map(({ bits }) => ({
  bits,
  rowOf: Uint32Array.from({ length: 2 ** bits }, (_, bucket) => bucket + 1),
  used: newBitSet(2 ** bits).fill(0xff),
}));
const listFeatures = createFeatureLister(
  { words, runs, lexicon: classes, known: noKnownRows } as FeatureIndex,
  lexicon,
);

/** Trains both models and returns the weights file. The same texts give the same bytes. */
export function fitTopicModel(
  sad: readonly SadRow[],
  labeled: readonly LabeledText[],
  onStep: () => void = () => {},
): Uint8Array {
  return encodeModels({ areas: fitAreas(areaTexts(sad, labeled), onStep), concern: fitConcern(labeled, onStep) });
}

export const encodeModels = (models: Omit<TopicWeights, 'fingerprint'>): Uint8Array =>
  encodeWeights({ fingerprint: lexiconFingerprint(), ...models });

/** Returns the training texts of the area model: all SAD rows, and the questions to a counselor. */
export function areaTexts(sad: readonly SadRow[], labeled: readonly LabeledText[]): AreaText[] {
  const counseling = labeled.flatMap(({ text, area, kind }) =>
    kind === 'counseling' && area ? [{ text, area, weight: COUNSELING_WEIGHT }] : [],
  );
  return [...sad.map(({ sentence, top }) => ({ text: sentence, area: top, weight: 1 })), ...counseling];
}

export function fitAreas(texts: readonly AreaText[], onStep: () => void = () => {}): LinearWeights {
  const balance = areaBalance(texts);
  const examples = texts.flatMap(({ text, area, weight }): Example[] => {
    const segments = segmentsOf(text);
    const target = area === 'none' ? areas.length : areas.indexOf(area);
    return segments.map((filled) => ({
      filled,
      target,
      weight: (weight * balance(area)) / Math.sqrt(segments.length),
    }));
  });
  return fitLinear(examples, areaOptions, onStep);
}

export function fitConcern(labeled: readonly LabeledText[], onStep: () => void = () => {}): LinearWeights {
  const weightOf = kindWeights(labeled);
  const examples = labeled.map((it): Example => {
    const { forms, words } = listConcernFeatures(readForGate(it.text));
    return { filled: [forms, words].map(countEntries), target: it.isConcern ? 1 : 0, weight: weightOf(it) };
  });
  return toOneClass(fitLinear(examples, concernOptions, onStep));
}

/** Returns the log odds of the second of two classes against the first. */
const toOneClass = ({ biases, families }: LinearWeights): LinearWeights => ({
  biases: differences(biases),
  families: families.map((family) => ({ ...family, weights: differences(family.weights) })),
});

const differences = (pairs: Float32Array): Float32Array =>
  Float32Array.from({ length: pairs.length / 2 }, (_, i) => (pairs[2 * i + 1] ?? 0) - (pairs[2 * i] ?? 0));

function read(content: string): { text: Words; numbers: Uint16Array } {
  const text = tokenizer.read(content);
  const numbers = new Uint16Array(wordsMax);
  for (let i = 0; i < text.count; i++) numbers[i] = numberIn(lexicon, text, i);
  return { text, numbers };
}

function readForGate(content: string): GateText {
  const { text, numbers } = read(content);
  const gateText = { text, numbers, isNamed: false, isNamedInFirstPerson: false };
  text.segmentEnds.forEach((to, i) => {
    const { hits, isFirstPerson } = find(text, numbers, text.segmentEnds[i - 1] ?? 0, to);
    const isNamed = hits.some(({ points }) => points >= phrasePointsMin);
    gateText.isNamed ||= isNamed;
    gateText.isNamedInFirstPerson ||= isNamed && isFirstPerson;
  });
  return gateText;
}

/** Returns the features of each segment, computed as in the service. */
function segmentsOf(content: string): Example['filled'][] {
  const { text, numbers } = read(content);
  return text.segmentEnds.map((to, i) => {
    const { words, runs, lexicon } = listFeatures(text, numbers, find(text, numbers, text.segmentEnds[i - 1] ?? 0, to));
    return [words, runs, lexicon].map(countRows);
  });
}

const countRows = ({ rows, length }: FeatureList): Map<number, number> => countAll(rows.subarray(0, length), 1);
const countEntries = ({ buckets, length }: BucketList): Map<number, number> => countAll(buckets.subarray(0, length), 0);

function countAll(entries: Iterable<number>, base: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const entry of entries) counts.set(entry - base, (counts.get(entry - base) ?? 0) + 1);
  return counts;
}

function areaBalance(texts: readonly AreaText[]): (area: AreaText['area']) => number {
  const counts = countBy(texts, ({ area }) => area);
  return (area) => (texts.length / classTotal / (counts.get(area) ?? 1)) ** AREA_BALANCE;
}

/**
 * Returns a function that weights texts. Concerns and everyday texts get the same total weight, half the number of
 * texts each.
 */
function kindWeights(labeled: readonly LabeledText[]): (text: LabeledText) => number {
  const counts = countBy(labeled, ({ kind }) => kind);
  const raw = ({ kind }: LabeledText) => (counts.get(kind) ?? 1) ** (KIND_POWER - 1);
  const sums = [false, true].map((side) =>
    labeled.filter(({ isConcern }) => isConcern === side).reduce((sum, it) => sum + raw(it), 0),
  );
  return (text) => (raw(text) * labeled.length) / 2 / (sums[text.isConcern ? 1 : 0] ?? 1);
}

function countBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
