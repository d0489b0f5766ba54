/**
 * A set of small numbers with one bit per number. It fits into the first-level cache of the processor, unlike a table.
 */
export type BitSet = Uint8Array;

/** Creates a set of numbers in 0 … size - 1. The set is empty without `members`. */
export function newBitSet(size: number, members: Iterable<number> = []): BitSet {
  const set = new Uint8Array(Math.ceil(size / 8));
  for (const member of members) set[member >>> 3] = (set[member >>> 3] ?? 0) | (1 << (member & 7));
  return set;
}

export const hasBit = (set: BitSet, member: number): boolean => (((set[member >>> 3] ?? 0) >>> (member & 7)) & 1) !== 0;
