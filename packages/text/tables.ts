/** A hash table that finds the number of a word hash. A Map made a short turn 15 % slower. */
export interface WordTable {
  /** Slots of two entries: a hash and its number. The number is 0 in a free slot. */
  readonly slots: Int32Array;
  readonly mask: number;
}

/** Minimum number of slots per hash, so that most lookups end at the first slot. */
const SPREAD = 2;

/**
 * Numbers the hashes in their order, starting at `first`, which is at least 1. Of two equal hashes, the first one
 * counts.
 */
export function buildWordTable(hashes: readonly number[], first: number): WordTable {
  const size = 2 ** Math.ceil(Math.log2(SPREAD * hashes.length));
  const table = { slots: new Int32Array(2 * size), mask: size - 1 };
  hashes.forEach((hash, index) => {
    let slot = firstSlot(table, hash);
    while (table.slots[slot + 1] !== 0) slot = nextSlot(table, slot);
    table.slots[slot] = hash;
    table.slots[slot + 1] = first + index;
  });
  return table;
}

/** Returns the number of a hash. 0 for an unknown hash. */
export function findNumber(table: WordTable, hash: number): number {
  let slot = firstSlot(table, hash);
  while (table.slots[slot + 1] !== 0 && table.slots[slot] !== hash) slot = nextSlot(table, slot);
  return table.slots[slot + 1] ?? 0;
}

/** Calls `onNumber` with the numbers of all equal hashes. */
export function findNumbers(table: WordTable, hash: number, onNumber: (number: number) => void): void {
  for (let slot = firstSlot(table, hash); table.slots[slot + 1] !== 0; slot = nextSlot(table, slot))
    if (table.slots[slot] === hash) onNumber(table.slots[slot + 1] ?? 0);
}

const firstSlot = ({ mask }: WordTable, hash: number): number => 2 * ((hash ^ (hash >>> 15)) & mask);
const nextSlot = ({ mask }: WordTable, slot: number): number => (slot + 2) & (2 * mask + 1);

/**
 * A set of small numbers with one bit per number. It fits into the first-level cache of the processor, unlike a table.
 */
export type BitSet = Uint8Array;

/** Creates a set of numbers in 0 … size - 1. The set is empty without `members`. */
export function newBitSet(size: number, members: Iterable<number> = []): BitSet {
  const set = new Uint8Array(Math.ceil(size / 8));
  for (const member of members) addBit(set, member);
  return set;
}

export function addBit(set: BitSet, member: number): void {
  set[member >>> 3] = (set[member >>> 3] ?? 0) | (1 << (member & 7));
}

export const hasBit = (set: BitSet, member: number): boolean => (((set[member >>> 3] ?? 0) >>> (member & 7)) & 1) !== 0;

/** Many short lists of small numbers in one array. List n contains the items `starts[n]` … `starts[n + 1] - 1`. */
export interface Lists {
  readonly starts: Uint16Array;
  readonly items: Uint16Array;
}

export function toLists(lists: ReadonlyArray<readonly number[]>): Lists {
  const starts = new Uint16Array(lists.length + 1);
  lists.forEach((list, n) => (starts[n + 1] = (starts[n] ?? 0) + list.length));
  return { starts, items: Uint16Array.from(lists.flat()) };
}
