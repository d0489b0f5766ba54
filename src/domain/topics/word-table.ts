/** Finds the number of a hash: a Map of numbers, laid out for the processor's caches. */
export interface WordTable {
  /** A slot is a hash and the number that it has; 0 where it is free. */
  readonly slots: Int32Array;
  readonly mask: number;
}

/** Slots for each hash, at least: most are then found where they are looked for first. */
const SPREAD = 2;

/** Hashes are numbered in their order, from `first`, which is at least 1; of two equal ones the first counts. */
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

/** 0 where there is none. */
export function numberOf(table: WordTable, hash: number): number {
  let slot = firstSlot(table, hash);
  while (table.slots[slot + 1] !== 0 && table.slots[slot] !== hash) slot = nextSlot(table, slot);
  return table.slots[slot + 1] as number;
}

const firstSlot = ({ mask }: WordTable, hash: number): number => 2 * ((hash ^ (hash >>> 15)) & mask);
const nextSlot = ({ mask }: WordTable, slot: number): number => (slot + 2) & (2 * mask + 1);
