import type { FeatureList, Features } from './features.js';
import { compileLexicon, lexiconFingerprint, type Lexicon } from './lexicon.js';
import { decodeWeights, type FamilyWeights } from './weights.js';
import { areas } from './vocabulary.js';

/** Everything that reads topics from text; load it once, share it freely. Holds nothing of any text. */
export interface TopicModel {
  readonly lexicon: Lexicon;
  readonly biases: readonly number[];
  readonly families: readonly Family[];
}

interface Family {
  readonly bits: number;
  /** Row of each bucket; row 0 belongs to those unused. Kept small, for the cache. */
  readonly rowOf: Uint16Array;
  /** A row is the bucket's rarity, then rarity × weight for each class. */
  readonly rows: Float32Array;
  /** Scratch: the number of the last segment that counted a row, so that repeats count once. */
  readonly lastSeen: Uint32Array;
  segment: number;
}

/** The eight areas and "none". */
export const classTotal = areas.length + 1;
const ROW_LENGTH = 1 + classTotal;

/** Builds the model from the weights file's bytes. Throws when they are damaged or belong to another lexicon. */
export function loadTopicModel(bytes: Uint8Array): TopicModel {
  const { fingerprint, biases, families } = decodeWeights(bytes);
  if (fingerprint !== lexiconFingerprint())
    throw new Error('topic weights were trained with another lexicon: run train:topics');
  if (biases.length !== classTotal) throw new Error('topic weights do not fit the vocabulary');
  return { lexicon: compileLexicon(), biases: [...biases], families: families.map(toFamily) };
}

function toFamily({ bits, buckets, rarities, weights }: FamilyWeights): Family {
  const rowOf = new Uint16Array(2 ** bits);
  const rows = new Float32Array((buckets.length + 1) * ROW_LENGTH);
  buckets.forEach((bucket, i) => {
    const rarity = rarities[i] ?? 0;
    rowOf[bucket] = i + 1;
    rows[(i + 1) * ROW_LENGTH] = rarity;
    for (let k = 0; k < classTotal; k++)
      rows[(i + 1) * ROW_LENGTH + 1 + k] = rarity * (weights[i * classTotal + k] ?? 0);
  });
  return { bits, rowOf, rows, lastSeen: new Uint32Array(buckets.length + 1), segment: 0 };
}

/** How likely each area, and last "none", is what a segment talks about: log odds up to a shared constant. */
export function scoreFeatures(model: TopicModel, { words, runs, lexicon }: Features): number[] {
  const scores = [...model.biases];
  [words, runs, lexicon].forEach((list, i) => {
    const family = model.families[i];
    if (family !== undefined) addFamily(scores, family, list);
  });
  return scores;
}

/** Adds one family's say: its features weighed by rarity and scaled to unit length, so that long texts do not shout. */
function addFamily(scores: number[], family: Family, { items, length }: FeatureList): void {
  const { rowOf, rows, lastSeen } = family;
  const shift = 32 - family.bits;
  const segment = (family.segment = (family.segment + 1) >>> 0 || 1);
  // Nine plain variables: the sums stay in registers, which makes this loop, the hottest, three times as fast.
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
  for (let i = 0; i < length; i++) {
    const row = rowOf[(items[i] as number) >>> shift] as number;
    if (row === 0 || lastSeen[row] === segment) continue;
    lastSeen[row] = segment;
    const at = row * ROW_LENGTH;
    squares += (rows[at] as number) ** 2;
    s0 += rows[at + 1] as number;
    s1 += rows[at + 2] as number;
    s2 += rows[at + 3] as number;
    s3 += rows[at + 4] as number;
    s4 += rows[at + 5] as number;
    s5 += rows[at + 6] as number;
    s6 += rows[at + 7] as number;
    s7 += rows[at + 8] as number;
    s8 += rows[at + 9] as number;
  }
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  const sums = [s0, s1, s2, s3, s4, s5, s6, s7, s8];
  for (let k = 0; k < classTotal; k++) scores[k] = (scores[k] as number) + scale * (sums[k] as number);
}

/** Turns scores, once `leanings` are added, into shares that sum to 1. */
export function toShares(scores: readonly number[], leanings: readonly number[]): number[] {
  const shares: number[] = [];
  let sum = 0;
  for (let k = 0; k < classTotal; k++) {
    shares.push(Math.exp((scores[k] as number) + (leanings[k] ?? 0)));
    sum += shares[k] as number;
  }
  for (let k = 0; k < classTotal; k++) shares[k] = (shares[k] as number) / sum;
  return shares;
}
