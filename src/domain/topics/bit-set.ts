/** One bit for each of many numbers: fits the processor's nearest cache where a table of them does not. */
export type BitSet = Uint8Array;

/** Room for the numbers 0 … size - 1; without a list there is none in it. */
export function newBitSet(size: number, members: Iterable<number> = []): BitSet {
  const set = new Uint8Array(Math.ceil(size / 8));
  for (const member of members) set[member >>> 3] = (set[member >>> 3] as number) | (1 << (member & 7));
  return set;
}

export const hasBit = (set: BitSet, member: number): boolean =>
  (((set[member >>> 3] as number) >>> (member & 7)) & 1) !== 0;
