import { newBitSet } from '../../src/domain/topics/bit-set.js';
import {
  type FeatureIndex,
  type FeatureList,
  fillFeatures,
  lexiconBits,
  newFeatures,
  noKnownRows,
} from '../../src/domain/topics/features.js';
import { findInSegment, newFindings } from '../../src/domain/topics/findings.js';
import { compileLexicon, lexiconFingerprint, type Lexicon } from '../../src/domain/topics/lexicon.js';
import { classTotal } from '../../src/domain/topics/model.js';
import { readWords } from '../../src/domain/topics/tokens.js';
import { areas } from '../../src/domain/topics/vocabulary.js';
import { encodeWeights, type FamilyWeights } from '../../src/domain/topics/weights.js';
import { minimise } from './optimize.js';
import type { SadRow } from './sad.js';

/** Buckets (2^bits) for words, runs of letters, lexicon. */
const familyBits = [16, 16, lexiconBits] as const;
/** A bucket that fewer sentences fill is left out: it says little, and could tell of a single sentence. */
const SENTENCES_MIN = 3;
/** Strength of the pull towards zero; best of 1/8, 1/4, 1/2, 1, 1.4, 2 by cross-validation. */
const PULL = 1;
/** Rare areas count more, by this power of how rare they are. */
const BALANCE = 0.4;
export const stepsMax = 40;

/** One training segment: its buckets by family with their scaled rarity, its class, its weight. */
interface Example {
  readonly columns: Uint32Array;
  readonly values: Float32Array;
  readonly target: number;
  readonly weight: number;
}

/** Buckets of each family that one segment fills, and how often. */
type Filled = readonly Map<number, number>[];

/** Trains the area model and returns the weights file. Same rows, same bytes. */
export function fitTopicModel(rows: readonly SadRow[], onStep: (step: number) => void = () => {}): Uint8Array {
  const lexicon = compileLexicon();
  const pieces = rows.flatMap((row) => segmentsOf(lexicon, row.sentence).map((filled) => ({ row, filled })));
  const rarities = familyBits.map((bits, i) =>
    raritiesOf(
      pieces.map(({ filled }) => filled[i] as Map<number, number>),
      2 ** bits,
    ),
  );
  const columns = assignColumns(rarities);
  const weigh = classWeights(rows);
  const examples = pieces.map(({ row, filled }) => ({
    ...encode(filled, rarities, columns),
    target: classOf(row.top),
    weight: weigh(row),
  }));
  const parameters = new Float64Array((columns.total + 1) * classTotal);
  minimise(parameters, (x, slope) => loss(examples, x, slope), stepsMax, onStep);
  return encodeWeights({ fingerprint: lexiconFingerprint(), ...unpack(parameters, rarities, columns) });
}

/** Before there are weights each bucket has a row: its number and one more. */
const [words, runs, classes] = familyBits.map((bits) => ({
  bits,
  rowOf: Uint32Array.from({ length: 2 ** bits }, (_, bucket) => bucket + 1),
  used: newBitSet(2 ** bits).fill(0xff),
}));
const index = { words, runs, lexicon: classes, known: noKnownRows } as FeatureIndex;

/** Buckets that each segment of a sentence fills; read as the service reads. */
function segmentsOf(lexicon: Lexicon, sentence: string): Filled[] {
  const words = readWords(sentence);
  const found = newFindings();
  const features = newFeatures();
  return words.segmentEnds.map((to, i) => {
    findInSegment(found, lexicon, words, words.segmentEnds[i - 1] ?? 0, to);
    fillFeatures(features, index, lexicon, words, found);
    return [features.words, features.runs, features.lexicon].map(countBuckets);
  });
}

function countBuckets({ rows, length }: FeatureList): Map<number, number> {
  const counts = new Map<number, number>();
  for (const row of rows.subarray(0, length)) counts.set(row - 1, (counts.get(row - 1) ?? 0) + 1);
  return counts;
}

/** Columns of the parameters: one for each used bucket of each family. */
interface Columns {
  readonly of: readonly Uint32Array[];
  readonly total: number;
}

function assignColumns(rarities: readonly Float32Array[]): Columns {
  let total = 0;
  const of = rarities.map((family) => Uint32Array.from(family, (rarity) => (rarity > 0 ? total++ : 0)));
  return { of, total };
}

function raritiesOf(filled: readonly Map<number, number>[], buckets: number): Float32Array {
  const counts = new Uint32Array(buckets);
  for (const it of filled) for (const bucket of it.keys()) counts[bucket] = (counts[bucket] as number) + 1;
  return Float32Array.from(counts, (count) =>
    count < SENTENCES_MIN ? 0 : 1 + Math.log((1 + filled.length) / (1 + count)),
  );
}

function encode(
  filled: Filled,
  rarities: readonly Float32Array[],
  { of }: Columns,
): Pick<Example, 'columns' | 'values'> {
  const columns: number[] = [];
  const values: number[] = [];
  filled.forEach((counts, family) => {
    const used = [...counts]
      .map(([bucket, count]) => ({ bucket, count, rarity: rarities[family]?.[bucket] ?? 0 }))
      .filter(({ rarity }) => rarity > 0);
    const length = Math.sqrt(used.reduce((sum, { count, rarity }) => sum + count * rarity * rarity, 0));
    for (const { bucket, count, rarity } of used) {
      columns.push(of[family]?.[bucket] ?? 0);
      values.push((count * rarity) / length);
    }
  });
  return { columns: Uint32Array.from(columns), values: Float32Array.from(values) };
}

const classOf = (area: SadRow['top']): number => (area === 'none' ? areas.length : areas.indexOf(area));

function classWeights(rows: readonly SadRow[]): (row: SadRow) => number {
  const counts = new Map<SadRow['top'], number>();
  for (const { top } of rows) counts.set(top, (counts.get(top) ?? 0) + 1);
  return ({ top }) => (rows.length / classTotal / (counts.get(top) ?? 1)) ** BALANCE;
}

/** Cross-entropy of the shares that the parameters give, plus the pull; the bias column is not pulled. */
function loss(examples: readonly Example[], x: Float64Array, slope: Float64Array): number {
  const bias = x.length - classTotal;
  let sum = 0;
  for (const example of examples) sum += addExample(example, x, slope, bias);
  for (let i = 0; i < bias; i++) {
    sum += (PULL / 2) * (x[i] as number) ** 2;
    slope[i] = (slope[i] as number) + PULL * (x[i] as number);
  }
  return sum;
}

const scores = new Float64Array(classTotal);

function addExample(
  { columns, values, target, weight }: Example,
  x: Float64Array,
  slope: Float64Array,
  bias: number,
): number {
  for (let k = 0; k < classTotal; k++) scores[k] = x[bias + k] as number;
  for (let j = 0; j < columns.length; j++) {
    const row = (columns[j] as number) * classTotal;
    for (let k = 0; k < classTotal; k++)
      scores[k] = (scores[k] as number) + (values[j] as number) * (x[row + k] as number);
  }
  const max = Math.max(...scores);
  const logSum = max + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - max), 0));
  const cost = weight * (logSum - (scores[target] as number));
  for (let k = 0; k < classTotal; k++) {
    scores[k] = weight * (Math.exp((scores[k] as number) - logSum) - (k === target ? 1 : 0));
    slope[bias + k] = (slope[bias + k] as number) + (scores[k] as number);
  }
  for (let j = 0; j < columns.length; j++) {
    const row = (columns[j] as number) * classTotal;
    for (let k = 0; k < classTotal; k++)
      slope[row + k] = (slope[row + k] as number) + (values[j] as number) * (scores[k] as number);
  }
  return cost;
}

function unpack(
  parameters: Float64Array,
  rarities: readonly Float32Array[],
  { of }: Columns,
): { biases: Float32Array; families: FamilyWeights[] } {
  const families = rarities.map((family, i) => {
    const buckets = Uint32Array.from([...family.keys()].filter((bucket) => family[bucket] !== 0));
    const start = (of[i]?.[buckets[0] ?? 0] ?? 0) * classTotal;
    const weights = Float32Array.from(parameters.subarray(start, start + buckets.length * classTotal));
    return {
      bits: familyBits[i] as number,
      buckets,
      rarities: Float32Array.from(buckets, (bucket) => family[bucket] ?? 0),
      weights,
    };
  });
  return { biases: Float32Array.from(parameters.subarray(parameters.length - classTotal)), families };
}
