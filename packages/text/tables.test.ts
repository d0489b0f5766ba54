import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildWordTable, findNumber } from './tables.js';

test('only the stored hashes are found, each at its index', () => {
  const hash = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: -8, max: 8 }));
  fc.assert(
    fc.property(fc.uniqueArray(hash, { minLength: 1, maxLength: 300 }), hash, (hashes, other) => {
      const table = buildWordTable(hashes, 1);
      hashes.forEach((it, number) => expect(findNumber(table, it)).toBe(number + 1));
      expect(findNumber(table, other)).toBe(hashes.indexOf(other) + 1);
    }),
  );
});
