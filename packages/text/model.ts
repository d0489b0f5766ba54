import { newBitSet } from './tables.js';
import {
  type FeatureIndex,
  type FeatureList,
  type Features,
  newFeatures,
  pushWord,
  type RowIndex,
} from './features.js';
import { compileLexicon, lexiconFingerprint, type Lexicon } from './lexicon.js';
import { type Heads, toHeads } from './linear.js';
import { createTokenizer, hashNext, hashStart } from './tokens.js';
import { areas } from './vocabulary.js';
import { decodeWeights, type FamilyWeights, computeFingerprint } from './weights.js';

/** The trained model. It contains single words, but no text. It is immutable, so that one instance can be shared. */
export interface TextModel {
  /** Hash of the weights file. Evidence from different versions is not comparable. */
  readonly version: number;
  readonly lexicon: Lexicon;
  /** Words of several training texts, most frequent first. */
  readonly vocabulary: readonly string[];
  /** The models that judge a message as a whole. */
  readonly heads: Heads;
  readonly index: FeatureIndex;
  readonly biases: readonly number[];
  readonly families: Readonly<Record<keyof Features, Family>>;
}

interface Family extends RowIndex {
  /** Row of each bucket. Unused buckets have row 0. Uses 16 bits per row, to fit into the processor's cache. */
  readonly rowOf: Uint16Array;
  /** Each row contains the bucket's squared rarity, then rarity × weight for each class. */
  readonly rows: Float32Array;
}

/** Number of classes: the eight areas and "none". */
export const classTotal = areas.length + 1;
const ROW_LENGTH = 1 + classTotal;

/**
 * Returns functions that compile the lexicon and build the model at their first call, and then return the same ones. Many
 * deployments receive no texts, and the model takes time and memory. Throws if the bytes belong to another lexicon.
 */
export function openTextModel(bytes: Uint8Array): { compile(): Lexicon; build(): TextModel } {
  if (computeFingerprint(bytes) !== lexiconFingerprint())
    throw new Error('weights were trained with another lexicon: run train');
  let lexicon: Lexicon | undefined;
  let model: TextModel | undefined;
  const compile = () => (lexicon ??= compileLexicon());
  return { compile, build: () => (model ??= buildModel(bytes, compile())) };
}

/** Builds the model. Throws like {@link openTextModel}, or if the bytes are damaged. */
export const loadTextModel = (bytes: Uint8Array): TextModel => openTextModel(bytes).build();

function buildModel(bytes: Uint8Array, lexicon: Lexicon): TextModel {
  const { vocabulary, areas: areaWeights, ...heads } = decodeWeights(bytes);
  const [words, runs, classes] = areaWeights.families.map(toFamily);
  if (areaWeights.biases.length !== classTotal || !words || !runs || !classes)
    throw new Error('weights do not match the vocabulary: run train');
  return {
    version: bytes.reduce(hashNext, hashStart) >>> 0,
    lexicon,
    vocabulary,
    heads: toHeads(heads),
    biases: [...areaWeights.biases],
    ...addKnownWords(lexicon, { words, runs, lexicon: classes }),
  };
}

function toFamily({ bits, buckets, rarities, weights }: FamilyWeights): Family {
  const rowOf = new Uint16Array(2 ** bits);
  const rows = new Float32Array((buckets.length + 1) * ROW_LENGTH);
  buckets.forEach((bucket, i) => {
    const rarity = rarities[i] ?? 0;
    rowOf[bucket] = i + 1;
    rows[(i + 1) * ROW_LENGTH] = rarity * rarity;
    for (let k = 0; k < classTotal; k++)
      rows[(i + 1) * ROW_LENGTH + 1 + k] = rarity * (weights[i * classTotal + k] ?? 0);
  });
  return { bits, rowOf, rows, used: newBitSet(rowOf.length, buckets) };
}

/** Precomputes a row per known word: the sum of the rows of the word's letter runs. */
function addKnownWords({ words }: Lexicon, families: TextModel['families']): Pick<TextModel, 'families' | 'index'> {
  const [own, tokenizer] = [newFeatures(), createTokenizer()];
  const known = { words: new Uint16Array(words.length + 1), runs: new Uint16Array(words.length + 1) };
  const begin = families.runs.rows.length / ROW_LENGTH;
  const rows = new Float32Array((begin + words.length) * ROW_LENGTH);
  rows.set(families.runs.rows);
  words.forEach((word, place) => {
    own.words.length = own.runs.length = 0;
    pushWord(own.words, own.runs, families, tokenizer.read(word), 0);
    if (own.words.length > 0) known.words[place + 1] = own.words.rows[0] ?? 0;
    if (own.runs.length > 0) known.runs[place + 1] = begin + place;
    for (const run of own.runs.rows.subarray(0, own.runs.length)) addRow(rows, begin + place, run);
  });
  return { families: { ...families, runs: { ...families.runs, rows } }, index: { ...families, known } };
}

function addRow(rows: Float32Array, row: number, other: number): void {
  for (let k = 0; k < ROW_LENGTH; k++)
    rows[row * ROW_LENGTH + k] = (rows[row * ROW_LENGTH + k] ?? 0) + (rows[other * ROW_LENGTH + k] ?? 0);
}

/** Returns the log odds that a segment is about each area, then that it is about none, up to a shared constant. */
export function scoreFeatures({ biases, families }: TextModel, features: Features): number[] {
  const scores = biases.slice();
  addFamily(scores, families.words, features.words);
  addFamily(scores, families.runs, features.runs);
  addFamily(scores, families.lexicon, features.lexicon);
  return scores;
}

/**
 * Adds the scores of one family: features weighted by rarity. The sum is scaled to unit length, so that long texts do
 * not count more.
 */
function addFamily(scores: number[], { rows }: Family, features: FeatureList): void {
  // Uses ten scalar variables, because they stay in registers. This makes the hottest loop three times as fast.
  let squares = 0;
  let s0 = 0,
    s1 = 0,
    s2 = 0,
    s3 = 0,
    s4 = 0,
    s5 = 0,
    s6 = 0,
    s7 = 0,
    s8 = 0;
  for (let i = 0; i < features.length; i++) {
    const at = (features.rows[i] ?? 0) * ROW_LENGTH;
    squares += rows[at] ?? 0;
    s0 += rows[at + 1] ?? 0;
    s1 += rows[at + 2] ?? 0;
    s2 += rows[at + 3] ?? 0;
    s3 += rows[at + 4] ?? 0;
    s4 += rows[at + 5] ?? 0;
    s5 += rows[at + 6] ?? 0;
    s6 += rows[at + 7] ?? 0;
    s7 += rows[at + 8] ?? 0;
    s8 += rows[at + 9] ?? 0;
  }
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  add(scores, 0, scale * s0);
  add(scores, 1, scale * s1);
  add(scores, 2, scale * s2);
  add(scores, 3, scale * s3);
  add(scores, 4, scale * s4);
  add(scores, 5, scale * s5);
  add(scores, 6, scale * s6);
  add(scores, 7, scale * s7);
  add(scores, 8, scale * s8);
}

const add = (values: number[], k: number, more: number): void => {
  values[k] = (values[k] ?? 0) + more;
};
