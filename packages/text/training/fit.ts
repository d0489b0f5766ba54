import { newBitSet } from '../tables.js';
import { createMessageReader, messageBits, type ReadMessage } from '../message-features.js';
import { createFeatureLister, type FeatureIndex, type FeatureList, lexiconBits, noKnownRows } from '../features.js';
import { createFinder } from '../findings.js';
import { compileLexicon, lexiconFingerprint } from '../lexicon.js';
import { classTotal } from '../model.js';
import { createTextReader, type TextReader } from '../spelling.js';
import { createTokenizer } from '../tokens.js';
import { areas, type Area } from '../vocabulary.js';
import { encodeWeights, type LinearWeights, type TextWeights } from '../weights.js';
import { countAll, type Example, fitHead, fitLinear, type FitOptions, type WeighedText } from './fit-linear.js';
import type { SadRow } from './sad.js';
import { toGroup, type LabeledText } from './texts.js';

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
 * Options of the concern gate. Families: forms, then words and runs of letters. Best of scales from 0.7 to 2 and pulls
 * from 0.7 to 4 on the development half of the evaluation texts, at equal recall of SAD.
 */
const concernOptions: FitOptions = {
  classTotal: 2,
  families: [
    { bits: messageBits, scale: 1 },
    { bits: messageBits, scale: 1.4 },
  ],
  pull: 1,
  stepsMax: 60,
};
/** Exponent of a kind's total weight, applied to its number of texts, so that no large file dominates. */
const KIND_POWER = 0.7;
/** Weight of groups, so that false alarms in own texts fall and the recall of SAD does not. The other groups weigh 1. */
const groupWeights: Readonly<Record<string, number>> = {
  'own/neutral': 2,
  'own/others': 2,
  'own/concerns': 0.5,
  'own/labeled': 0.7,
};
/** Weight of a window of a text without a concern, relative to the text. */
const WINDOW_WEIGHT = 0.2;
/** Minimum number of texts that contain a word of the vocabulary. */
const TEXTS_MIN = 3;
/**
 * Weight of a question to a counselor relative to a SAD sentence. The weight is divided among the segments of the
 * question.
 */
const COUNSELING_WEIGHT = 0.5;
/** Weight of a text of this project relative to a SAD sentence. Best of 0, 0.4 and 1 in cross-validation. */
const OWN_WEIGHT = 0.4;

/** Maximum number of progress reports of a training of topics. */
export const topicStepsMax = areaOptions.stepsMax + concernOptions.stepsMax;

const lexicon = compileLexicon();
const tokenizer = createTokenizer();
const find = createFinder(lexicon);
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

/** What a training of topics gives. */
export type TopicWeights = Pick<TextWeights, 'vocabulary' | 'areas' | 'concern'>;
export type { ReadMessage };

/** Trains the areas and the gate. The same texts give the same weights. */
export function fitTopics(
  sad: readonly SadRow[],
  labeled: readonly LabeledText[],
  onStep: () => void = () => {},
): TopicWeights {
  const vocabulary = listVocabulary(sad, labeled);
  const areas = fitAreas(areaTexts(sad, labeled), vocabulary, onStep);
  return { vocabulary, areas, concern: fitConcern(labeled, vocabulary, onStep) };
}

/** Returns a function that lists the features of a message, spelled with the words of the training. */
export const createReadMessage = (vocabulary: readonly string[]): ReadMessage =>
  createMessageReader(lexicon, vocabulary);

/** Returns the words of at least {@link TEXTS_MIN} texts, most frequent first. A rarer word could identify a text. */
export function listVocabulary(sad: readonly SadRow[], labeled: readonly LabeledText[]): string[] {
  const counts = new Map<string, number>();
  const others = labeled.filter((it) => it.sad === undefined);
  for (const text of [...sad.map(({ sentence }) => sentence), ...others.map(({ text }) => text)])
    for (const word of new Set(listWords(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const common = [...counts].filter(([word, count]) => count >= TEXTS_MIN && /^[a-z]+$/.test(word));
  return common.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([word]) => word);
}

function listWords(content: string): string[] {
  const { letters, starts, ends, count } = tokenizer.read(content);
  return Array.from({ length: count }, (_, i) => Buffer.from(letters.subarray(starts[i], ends[i])).toString('ascii'));
}

export const encodeModels = (models: Omit<TextWeights, 'fingerprint'>): Uint8Array =>
  encodeWeights({ ...models, fingerprint: lexiconFingerprint() });

/** Returns the training texts of the area model: all SAD rows, and all other texts with an area. */
export function areaTexts(sad: readonly SadRow[], labeled: readonly LabeledText[]): AreaText[] {
  const others = labeled.flatMap(({ text, area, kind, sad }) =>
    area && !sad ? [{ text, area, weight: kind === 'counseling' ? COUNSELING_WEIGHT : OWN_WEIGHT }] : [],
  );
  return [...sad.map(({ sentence, top }) => ({ text: sentence, area: top, weight: 1 })), ...others];
}

export function fitAreas(
  texts: readonly AreaText[],
  vocabulary: readonly string[],
  onStep: () => void = () => {},
): LinearWeights {
  const balance = areaBalance(texts);
  const reader = createTextReader(lexicon, vocabulary);
  const examples = texts.flatMap(({ text, area, weight }): Example[] => {
    const segments = listSegments(reader, text);
    const target = area === 'none' ? areas.length : areas.indexOf(area);
    return segments.map((filled) => ({
      filled,
      target,
      weight: (weight * balance(area)) / Math.sqrt(segments.length),
    }));
  });
  return fitLinear(examples, areaOptions, onStep);
}

export function fitConcern(
  labeled: readonly LabeledText[],
  vocabulary: readonly string[],
  onStep: () => void = () => {},
): LinearWeights {
  const findWeight = kindWeights(labeled);
  const weighed = labeled.map((it): WeighedText => {
    const weight = findWeight(it);
    const windows = it.isConcern ? {} : { windowWeight: WINDOW_WEIGHT * weight };
    return { text: it.text, classes: [[it.isConcern ? 1 : 0, weight]], ...windows };
  });
  return fitHead(weighed, concernOptions, createReadMessage(vocabulary), onStep);
}

/** Returns the features of each segment, computed as in the service. */
function listSegments(reader: TextReader, content: string): Example['filled'][] {
  const { words: text, numbers } = reader.read(content);
  return text.segmentEnds.map((to, i) => {
    const { words, runs, lexicon } = listFeatures(text, numbers, find(text, numbers, text.segmentEnds[i - 1] ?? 0, to));
    return [words, runs, lexicon].map(countRows);
  });
}

/** Rows are numbered from 1, buckets from 0. */
const countRows = ({ rows, length }: FeatureList): Map<number, number> =>
  countAll(rows.subarray(0, length).map((row) => row - 1));

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
  const raw = ({ kind }: LabeledText) =>
    (groupWeights[toGroup(kind)] ?? 1) * (counts.get(kind) ?? 1) ** (KIND_POWER - 1);
  const sums = [false, true].map((side) =>
    labeled.filter(({ isConcern }) => isConcern === side).reduce((sum, it) => sum + raw(it), 0),
  );
  return (text) => (raw(text) * labeled.length) / 2 / (sums[text.isConcern ? 1 : 0] ?? 1);
}

function countBy<T, K>(items: readonly T[], toKey: (item: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(toKey(item), (counts.get(toKey(item)) ?? 0) + 1);
  return counts;
}
