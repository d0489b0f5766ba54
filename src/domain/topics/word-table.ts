/** Finds the number of a hash. */
export type WordTable = ReadonlyMap<number, number>;

/** Numbers the hashes in their order, from `first`, which is at least 1. Of two equal hashes the first counts. */
export const buildWordTable = (hashes: readonly number[], first: number): WordTable =>
  new Map(hashes.map((hash, index) => [hash, first + index] as const).reverse());

/** 0 for an unknown hash. */
export const numberOf = (table: WordTable, hash: number): number => table.get(hash) ?? 0;
