import type { BucketList } from '../buckets.js';
import type { MessageFeatures, ReadMessage } from '../message-features.js';
import type { FamilyWeights, LinearWeights } from '../weights.js';
import { minimise } from './optimize.js';

/** One training text, or one segment of it. */
export interface Example {
  /** Counts by bucket, one map per family. */
  readonly filled: ReadonlyArray<ReadonlyMap<number, number>>;
  /** Number of the example's class. */
  readonly target: number;
  readonly weight: number;
}

export interface FitOptions {
  readonly classTotal: number;
  readonly families: ReadonlyArray<{
    /** The family has 2^bits buckets. */
    readonly bits: number;
    /** Vector length of the family's features in each example. The model learns more slowly from a shorter vector. */
    readonly scale: number;
  }>;
  /** Strength of the L2 regularization. */
  readonly pull: number;
  readonly stepsMax: number;
}

/**
 * Minimum number of examples per bucket. A bucket with fewer examples is dropped, because it has little influence and
 * could identify a text.
 */
const EXAMPLES_MIN = 3;

/** Fits a multinomial logistic regression on rarity-weighted features. The same input gives the same result. */
export function fitLinear(examples: readonly Example[], options: FitOptions, onStep: () => void): LinearWeights {
  const rarities = options.families.map(({ bits }, i) => computeRarities(examples, i, 2 ** bits));
  const columns = assignColumns(rarities);
  const rows = examples.map((example) => encode(example, rarities, columns, options));
  const parameters = new Float64Array((columns.total + 1) * options.classTotal);
  minimise(parameters, (x, slope) => loss(rows, x, slope, options), options.stepsMax, onStep);
  return unpack(parameters, rarities, columns, options);
}

/** Returns the inverse document frequency of each bucket. 0 for a dropped bucket. */
function computeRarities(examples: readonly Example[], family: number, buckets: number): Float32Array {
  const counts = new Uint32Array(buckets);
  for (const { filled } of examples)
    for (const bucket of filled[family]?.keys() ?? []) counts[bucket] = (counts[bucket] ?? 0) + 1;
  return Float32Array.from(counts, (count) =>
    count < EXAMPLES_MIN ? 0 : 1 + Math.log((1 + examples.length) / (1 + count)),
  );
}

/** Columns of the parameters: one column per used bucket of each family. */
interface Columns {
  readonly of: readonly Uint32Array[];
  readonly total: number;
}

function assignColumns(rarities: readonly Float32Array[]): Columns {
  let total = 0;
  const of = rarities.map((family) => Uint32Array.from(family, (rarity) => (rarity > 0 ? total++ : 0)));
  return { of, total };
}

interface Row {
  readonly columns: Uint32Array;
  readonly values: Float32Array;
  readonly target: number;
  readonly weight: number;
}

function encode(
  { filled, target, weight }: Example,
  rarities: readonly Float32Array[],
  { of }: Columns,
  { families }: FitOptions,
): Row {
  const [columns, values]: [number[], number[]] = [[], []];
  filled.forEach((counts, i) => {
    const used = [...counts]
      .map(([bucket, count]) => ({ bucket, count, rarity: rarities[i]?.[bucket] ?? 0 }))
      .filter(({ rarity }) => rarity > 0);
    const length = Math.sqrt(used.reduce((sum, { count, rarity }) => sum + count * rarity * rarity, 0));
    for (const { bucket, count, rarity } of used) {
      columns.push(of[i]?.[bucket] ?? 0);
      values.push(((families[i]?.scale ?? 1) * count * rarity) / length);
    }
  });
  return { columns: Uint32Array.from(columns), values: Float32Array.from(values), target, weight };
}

/** Returns the cross-entropy of the class shares under the parameters, plus the L2 penalty. Biases have no penalty. */
function loss(rows: readonly Row[], x: Float64Array, slope: Float64Array, { classTotal, pull }: FitOptions): number {
  const bias = x.length - classTotal;
  const scores = new Float64Array(classTotal);
  let sum = 0;
  for (const row of rows) sum += addRow(row, x, slope, scores);
  for (let i = 0; i < bias; i++) {
    const value = x[i] ?? 0;
    sum += (pull / 2) * value ** 2;
    slope[i] = (slope[i] ?? 0) + pull * value;
  }
  return sum;
}

function addRow({ columns, values, target, weight }: Row, x: Float64Array, slope: Float64Array, scores: Float64Array) {
  const classTotal = scores.length;
  const bias = x.length - classTotal;
  for (let k = 0; k < classTotal; k++) scores[k] = x[bias + k] ?? 0;
  for (let j = 0; j < columns.length; j++) {
    const at = (columns[j] ?? 0) * classTotal;
    for (let k = 0; k < classTotal; k++) scores[k] = (scores[k] ?? 0) + (values[j] ?? 0) * (x[at + k] ?? 0);
  }
  const max = Math.max(...scores);
  const logSum = max + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - max), 0));
  const cost = weight * (logSum - (scores[target] ?? 0));
  for (let k = 0; k < classTotal; k++) {
    scores[k] = weight * (Math.exp((scores[k] ?? 0) - logSum) - (k === target ? 1 : 0));
    slope[bias + k] = (slope[bias + k] ?? 0) + (scores[k] ?? 0);
  }
  for (let j = 0; j < columns.length; j++) {
    const at = (columns[j] ?? 0) * classTotal;
    for (let k = 0; k < classTotal; k++) slope[at + k] = (slope[at + k] ?? 0) + (values[j] ?? 0) * (scores[k] ?? 0);
  }
  return cost;
}

function unpack(
  parameters: Float64Array,
  rarities: readonly Float32Array[],
  { of }: Columns,
  { families, classTotal }: FitOptions,
): LinearWeights {
  return {
    biases: Float32Array.from(parameters.subarray(parameters.length - classTotal)),
    families: rarities.map((family, i): FamilyWeights => {
      const { bits = 0, scale = 1 } = families[i] ?? {};
      const buckets = Uint32Array.from([...family.keys()].filter((bucket) => family[bucket] !== 0));
      const start = (of[i]?.[buckets[0] ?? 0] ?? 0) * classTotal;
      const weights = Float32Array.from(
        parameters.subarray(start, start + buckets.length * classTotal),
        (weight) => scale * weight,
      );
      return { bits, buckets, rarities: Float32Array.from(buckets, (bucket) => family[bucket] ?? 0), weights };
    }),
  };
}

/** Returns the log odds of the other classes against the first class. */
function relativeToFirst({ biases, families }: LinearWeights): LinearWeights {
  const classTotal = biases.length;
  const subtract = (rows: Float32Array): Float32Array =>
    rows.map((value, i) => value - (rows[i - (i % classTotal)] ?? 0)).filter((_, i) => i % classTotal !== 0);
  return {
    biases: subtract(biases),
    families: families.map((family) => ({ ...family, weights: subtract(family.weights) })),
  };
}

/** A text with the classes that it belongs to, each with its weight. */
export interface WeighedText {
  readonly text: string;
  readonly classes: ReadonlyArray<readonly [target: number, weight: number]>;
  /** Weight of each window of the text, which is of class 0. Absent for a text whose windows may be of another class. */
  readonly windowWeight?: number;
}

/** Trains a model that judges messages and their windows. Returns the log odds of the other classes against class 0. */
export function fitHead(
  texts: readonly WeighedText[],
  options: FitOptions,
  readMessage: ReadMessage,
  onStep: () => void,
): LinearWeights {
  const read = texts.map(({ text, windowWeight }) =>
    readCounts(readMessage, text, windowWeight !== undefined, options.families.length),
  );
  const keep = keepCommon(read.map(([whole]) => whole));
  const examples = texts.flatMap(({ classes, windowWeight = 0 }, i): Example[] => {
    const [whole = [], ...windows] = (read[i] ?? []).map(keep);
    return [
      ...classes.map(([target, weight]) => ({ filled: whole, target, weight })),
      ...windows.map((filled) => ({ filled, target: 0, weight: windowWeight })),
    ];
  });
  return relativeToFirst(fitLinear(examples, options, onStep));
}

type Filled = Example['filled'];

/** Returns the counts of the first `total` families of a text, then those of its windows. */
function readCounts(readMessage: ReadMessage, text: string, hasWindows: boolean, total: number): [Filled, ...Filled[]] {
  const windows: Filled[] = [];
  const count = (it: MessageFeatures): Filled => it.slice(0, total).map(countBuckets);
  const whole = readMessage(text, hasWindows ? (it) => windows.push(count(it)) : undefined);
  return [count(whole), ...windows];
}

/** Returns a function that drops the buckets of fewer than {@link EXAMPLES_MIN} texts, however many windows have them. */
function keepCommon(texts: readonly Filled[]): (it: Filled) => Filled {
  const totals: Array<Map<number, number>> = [];
  for (const families of texts)
    families.forEach((counts, i) => {
      const total = (totals[i] ??= new Map<number, number>());
      for (const bucket of counts.keys()) total.set(bucket, (total.get(bucket) ?? 0) + 1);
    });
  const isCommon = (i: number, bucket: number) => (totals[i]?.get(bucket) ?? 0) >= EXAMPLES_MIN;
  return (families) => families.map((counts, i) => new Map([...counts].filter(([bucket]) => isCommon(i, bucket))));
}

/** Returns the number of occurrences of each bucket. */
function countBuckets({ buckets, length }: BucketList): Map<number, number> {
  return countAll(buckets.subarray(0, length));
}

export function countAll(entries: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  return counts;
}
