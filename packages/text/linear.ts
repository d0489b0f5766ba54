import type { FamilyWeights, LinearWeights } from './weights.js';

/** Feature buckets, one entry per occurrence. Entries beyond `length` are from earlier texts. */
export interface BucketList {
  length: number;
  readonly buckets: Uint16Array;
}

/** Maximum number of features per family and text. Later features are ignored. */
const BUCKETS_MAX = 8192;

export const newBucketList = (): BucketList => ({ length: 0, buckets: new Uint16Array(BUCKETS_MAX) });

export function pushBucket(list: BucketList, bucket: number): void {
  if (list.length < list.buckets.length) list.buckets[list.length++] = bucket;
}

/** Log odds of classes, linear in families of hashed features. Contains no text. Immutable, so it can be shared. */
export interface LinearModel {
  readonly biases: readonly number[];
  /** One table per family. A row per bucket: squared rarity, then rarity × weight per class. */
  readonly tables: readonly Float32Array[];
}

/** Throws an error with `name` if the weights have another shape than the features. `bits` has an entry per family. */
export function toLinearModel(weights: LinearWeights, classes: number, bits: readonly number[], name: string) {
  const { biases, families } = weights;
  const fits = biases.length === classes && families.map((it) => it.bits).join() === bits.join();
  if (!fits) throw new Error(`${name} weights are incomplete: run train`);
  return { biases: [...biases], tables: families.map((family) => toTable(family, classes)) };
}

/** The row of an unused bucket contains zeros. */
function toTable({ bits, buckets, rarities, weights }: FamilyWeights, classes: number): Float32Array {
  const table = new Float32Array((1 + classes) * 2 ** bits);
  buckets.forEach((bucket, i) => {
    const rarity = rarities[i] ?? 0;
    table[(1 + classes) * bucket] = rarity * rarity;
    for (let k = 0; k < classes; k++) table[(1 + classes) * bucket + 1 + k] = rarity * (weights[classes * i + k] ?? 0);
  });
  return table;
}

/**
 * Returns the log odds of each class. Each family is scaled to unit length, so that long texts do not count more.
 * `isKnown` is false if the first family has no feature of the training.
 */
export function scoreLinear({ biases, tables }: LinearModel, lists: readonly BucketList[]) {
  const scores = [...biases];
  let isKnown = false;
  for (const [family, table] of tables.entries()) {
    const list = lists[family];
    const squares = list ? addFamily(scores, table, list) : 0;
    if (family === 0) isKnown = squares > 0;
  }
  return { scores, isKnown };
}

function addFamily(scores: number[], table: Float32Array, { length, buckets }: BucketList): number {
  const width = 1 + scores.length;
  let squares = 0;
  for (let i = 0; i < length; i++) squares += table[width * (buckets[i] ?? 0)] ?? 0;
  if (squares === 0) return 0;
  const scale = 1 / Math.sqrt(squares);
  for (let k = 0; k < scores.length; k++) {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += table[width * (buckets[i] ?? 0) + 1 + k] ?? 0;
    scores[k] = (scores[k] ?? 0) + scale * sum;
  }
  return squares;
}
