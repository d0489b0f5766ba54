import {
  familyBits,
  type FeatureReader,
  messageBits,
  type MessageText,
  newSentenceFeatures,
  type SentenceFeatures,
} from './message-features.js';
import { type Sentence, wordsMax } from './tokens.js';
import type { LinearWeights, TextWeights } from './weights.js';
import type { Window } from './windows.js';

/** The models that judge a message as a whole, and their number of classes. */
const heads = { concern: 1, severity: 1, safety: 3 } as const;
export type HeadName = keyof typeof heads;
const headNames = Object.keys(heads) as HeadName[];

/** All heads. Contains no text. Immutable, so it can be shared. */
export interface Heads {
  readonly biases: Float32Array;
  /**
   * A table each of forms and words, with a row per bucket: squared rarity, then rarity × weight of each class, for each
   * head in turn. Each head has its own rarities, because its training has other texts.
   */
  readonly tables: readonly [forms: Float32Array, words: Float32Array];
  /** The same for the grams, of safety only. */
  readonly grams: Float32Array;
}

/** Log odds of a message. */
export interface HeadScores {
  /** The speaker describes a concern of their own. */
  readonly concern: number;
  /** Severe distress. */
  readonly severity: number;
  /** Each danger against none, in the order of `dangerKinds`. */
  readonly safety: readonly [number, number, number];
}

const ROW_LENGTH = headNames.reduce((sum, name) => sum + 1 + heads[name], 0);
const GRAM_ROW_LENGTH = 1 + heads.safety;

/** Throws if the weights have another shape than the features. */
export function toHeads(weights: Pick<TextWeights, HeadName>): Heads {
  const newTable = () => new Float32Array(ROW_LENGTH * 2 ** messageBits);
  const tables = [newTable(), newTable()] as const;
  let column = 0;
  for (const name of headNames) {
    const { biases, families } = weights[name];
    const bits = name === 'safety' ? familyBits : familyBits.slice(0, tables.length);
    const fits = biases.length === heads[name] && families.map((it) => it.bits).join() === bits.join();
    if (!fits) throw new Error(`weights of ${name} are incomplete: run train`);
    tables.forEach((table, i) => fillColumns(table, ROW_LENGTH, column, families[i], heads[name]));
    column += 1 + heads[name];
  }
  const grams = new Float32Array(GRAM_ROW_LENGTH * 2 ** familyBits[2]);
  fillColumns(grams, GRAM_ROW_LENGTH, 0, weights.safety.families[2], heads.safety);
  return { biases: Float32Array.from(headNames.flatMap((name) => [...weights[name].biases])), tables, grams };
}

/** The row of an unused bucket contains zeros. */
function fillColumns(
  table: Float32Array,
  rowLength: number,
  column: number,
  family: LinearWeights['families'][0] | undefined,
  classes: number,
) {
  family?.buckets.forEach((bucket, i) => {
    const at = rowLength * bucket + column;
    const rarity = family.rarities[i] ?? 0;
    table[at] = rarity * rarity;
    for (let k = 0; k < classes; k++) table[at + 1 + k] = rarity * (family.weights[classes * i + k] ?? 0);
  });
}

/** Scores a window of a text, or the whole text. */
export type Scorer = (it: MessageText, window: Window) => HeadScores;

/** A sentence with sums of its rows, for each family in turn. */
interface ReadSentence {
  readonly features: SentenceFeatures;
  readonly sums: Float64Array;
  /** Of the features that the sentence before has too. */
  readonly shared: Float64Array;
}

/**
 * Returns a scorer with its own memory. The sentences of a text are read once. A feature counts once per window, so
 * repetition adds no evidence: a window has the sums of its sentences, less those of repeated features. The sums are
 * exact in any order, because they fit into 53 bits.
 */
export function createScorer({ biases, tables, grams }: Heads, { readSentence, readFacts }: FeatureReader): Scorer {
  const [sums, whole, repeated] = [newSums(), newSums(), newSums()];
  const [all, near] = [newBucketBuffer(), newBucketBuffer()];
  // The number of the sentence in which a bucket was last seen, by family.
  const seen = familyBits.map((bits) => new Uint16Array(2 ** bits)) as [Uint16Array, Uint16Array, Uint16Array];
  const read = new Map<number, ReadSentence>();
  const pool: ReadSentence[] = [];
  let [text, count] = [undefined as MessageText | undefined, 0];

  const addFamily = (to: Float64Array, family: (typeof families)[number], buckets: Buckets): void =>
    family === 2 ? addGrams(to, grams, buckets) : addRows(to, family, tables[family], buckets);
  const findSentence = (it: MessageText, sentence: Sentence): ReadSentence => {
    const key = sentence.from * 2 * wordsMax + sentence.to;
    const known = read.get(key);
    if (known) return known;
    const found = (pool[read.size] ??= { features: newSentenceFeatures(), sums: newSums(), shared: newSums() });
    readSentence(it, sentence, found.features);
    found.sums.fill(0);
    for (const family of families) addFamily(found.sums, family, found.features[family]);
    read.set(key, found);
    return found;
  };
  const readText = (it: MessageText): void => {
    text = it;
    read.clear();
    whole.fill(0);
    // Restarts before the numbers exceed 16 bits. A sentence has a word at least.
    if (count > 2 ** 16 - 1 - wordsMax) count = (seen.forEach((numbers) => numbers.fill(0)), 0);
    const first = count + 1;
    for (const sentence of it.read.words.sentences) {
      const { features, sums: own, shared } = findSentence(it, sentence);
      shared.fill(0);
      repeated.fill(0);
      count++;
      for (const family of families) {
        findRepeated(seen[family], features[family], count, first, all, near);
        addFamily(repeated, family, all);
        addFamily(shared, family, near);
      }
      addSums(whole, own, repeated);
    }
  };
  const addSentences = (it: MessageText, [first, second, third]: readonly Sentence[]): void => {
    // Only the whole text has more than two sentences.
    if (third) return sums.set(whole);
    sums.fill(0);
    if (first) sums.set(findSentence(it, first).sums);
    if (!second) return;
    const { sums: own, shared } = findSentence(it, second);
    addSums(sums, own, shared);
  };
  return (it, window) => {
    if (it !== text) readText(it);
    addSentences(it, window.sentences);
    addRows(sums, 0, tables[0], { buckets: all.buckets, length: readFacts(it, window, all.buckets) });
    return toScores(biases, sums);
  };
}

const families = [0, 1, 2] as const;
/** The sums of forms and words, each with all heads, then those of the grams. */
const SUMS_LENGTH = 2 * ROW_LENGTH + GRAM_ROW_LENGTH;

const newSums = () => new Float64Array(SUMS_LENGTH);
const newBucketBuffer = () => ({ length: 0, buckets: new Uint32Array(2 ** familyBits[2]) });

function addSums(to: Float64Array, sums: Float64Array, less: Float64Array): void {
  for (let i = 0; i < SUMS_LENGTH; i++) to[i] = (to[i] ?? 0) + ((sums[i] ?? 0) - (less[i] ?? 0));
}

/** Lists the buckets of sentence `count` that `all` sentences from `first` on have too, and the sentence before (`near`). */
function findRepeated(
  seen: Uint16Array,
  { buckets, length }: Buckets,
  count: number,
  first: number,
  all: SentenceFeatures[0],
  near: SentenceFeatures[0],
): void {
  all.length = near.length = 0;
  for (let i = 0; i < length; i++) {
    const bucket = buckets[i] ?? 0;
    const last = seen[bucket] ?? 0;
    seen[bucket] = count;
    if (last < first) continue;
    all.buckets[all.length++] = bucket;
    if (last === count - 1) near.buckets[near.length++] = bucket;
  }
}

type Buckets = Readonly<SentenceFeatures[0]>;

/** Adds the rows of buckets to the sums of a family. */
function addRows(sums: Float64Array, family: number, table: Float32Array, { buckets, length }: Buckets): void {
  const to = ROW_LENGTH * family;
  // Uses eight scalar variables, because they stay in registers.
  let q0 = sums[to] ?? 0,
    s0 = sums[to + 1] ?? 0,
    q1 = sums[to + 2] ?? 0,
    s1 = sums[to + 3] ?? 0,
    q2 = sums[to + 4] ?? 0,
    s2 = sums[to + 5] ?? 0,
    s3 = sums[to + 6] ?? 0,
    s4 = sums[to + 7] ?? 0;
  for (let i = 0; i < length; i++) {
    const at = ROW_LENGTH * (buckets[i] ?? 0);
    q0 += table[at] ?? 0;
    s0 += table[at + 1] ?? 0;
    q1 += table[at + 2] ?? 0;
    s1 += table[at + 3] ?? 0;
    q2 += table[at + 4] ?? 0;
    s2 += table[at + 5] ?? 0;
    s3 += table[at + 6] ?? 0;
    s4 += table[at + 7] ?? 0;
  }
  sums[to] = q0;
  sums[to + 1] = s0;
  sums[to + 2] = q1;
  sums[to + 3] = s1;
  sums[to + 4] = q2;
  sums[to + 5] = s2;
  sums[to + 6] = s3;
  sums[to + 7] = s4;
}

/** Adds the rows of grams to their sums. */
function addGrams(sums: Float64Array, table: Float32Array, { buckets, length }: Buckets): void {
  const to = 2 * ROW_LENGTH;
  let [q, s1, s2, s3] = [sums[to] ?? 0, sums[to + 1] ?? 0, sums[to + 2] ?? 0, sums[to + 3] ?? 0];
  for (let i = 0; i < length; i++) {
    const at = GRAM_ROW_LENGTH * (buckets[i] ?? 0);
    q += table[at] ?? 0;
    s1 += table[at + 1] ?? 0;
    s2 += table[at + 2] ?? 0;
    s3 += table[at + 3] ?? 0;
  }
  sums[to] = q;
  sums[to + 1] = s1;
  sums[to + 2] = s2;
  sums[to + 3] = s3;
}

/** Each family is scaled to unit length, so that long texts do not count more. */
function toScores(biases: Float32Array, sums: Float64Array): HeadScores {
  let [concern = 0, severity = 0, suicidal = 0, selfHarm = 0, violence = 0] = biases;
  const toShare = (at: number, column: number, squares: number) =>
    scale(sums[at + column] ?? 0, sums[at + squares] ?? 0);
  for (let at = 0; at < 2 * ROW_LENGTH; at += ROW_LENGTH) {
    const sum = (column: number, squares: number) => toShare(at, column, squares);
    concern += sum(1, 0);
    severity += sum(3, 2);
    suicidal += sum(5, 4);
    selfHarm += sum(6, 4);
    violence += sum(7, 4);
  }
  suicidal += toShare(2 * ROW_LENGTH, 1, 0);
  selfHarm += toShare(2 * ROW_LENGTH, 2, 0);
  violence += toShare(2 * ROW_LENGTH, 3, 0);
  return { concern, severity, safety: [suicidal, selfHarm, violence] };
}

const scale = (sum: number, squares: number): number => (squares > 0 ? sum / Math.sqrt(squares) : 0);
