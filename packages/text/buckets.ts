import { addBit, type BitSet, hasBit, newBitSet } from './tables.js';

/**
 * Feature buckets of a text, each of them once, so that repetition adds no evidence. Entries beyond `length` are from
 * earlier texts.
 */
export interface BucketList {
  length: number;
  readonly buckets: Uint32Array;
  /** The first `length` buckets as a set. */
  readonly seen: BitSet;
}

/** Returns an empty list of a family of 2^bits buckets. */
export const newBucketList = (bits: number): BucketList => ({
  length: 0,
  buckets: new Uint32Array(2 ** bits),
  seen: newBitSet(2 ** bits),
});

/** Empties a list. */
export function clear(list: BucketList): void {
  for (let i = 0; i < list.length; i++) list.seen[(list.buckets[i] ?? 0) >>> 3] = 0;
  list.length = 0;
}

/** Adds a bucket, unless the list has it. */
export function pushBucket(list: BucketList, bucket: number): void {
  if (hasBit(list.seen, bucket)) return;
  addBit(list.seen, bucket);
  list.buckets[list.length++] = bucket;
}
