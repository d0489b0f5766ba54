import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noKnownRows } from './features.js';
import { classTotal, loadTopicModel } from './model.js';
import { createTopicReader } from './reader.js';
import { anyText } from './testing/texts.js';

const model = loadTopicModel(readFileSync(new URL('./weights.bin', import.meta.url)));
const reader = createTopicReader(model);

test('known words give the same odds as hashed ones', () => {
  const hashing = createTopicReader({ ...model, index: { ...model.index, known: noKnownRows } });
  const text =
    'My boss is not happy, I worry about the exams and the rent. Zorbing on Tuesdays is not stressful any more.';
  const [known, hashed] = [reader.readText(text), hashing.readText(text)];
  expect(known.odds).toHaveLength(classTotal);
  known.odds.forEach((odds, k) => expect(Math.log(odds / (hashed.odds[k] ?? 0))).toBeCloseTo(0, 4));
  expect(known.points).toEqual(hashed.points);
});

test('a reading depends on its text only, whatever the reader read before', () => {
  fc.assert(
    fc.property(anyText, anyText, (first, other) => {
      const fresh = createTopicReader(model).readText(first);
      reader.readText(other);
      expect(reader.readText(first)).toEqual(fresh);
    }),
    { numRuns: 60 },
  );
});

test('a reading is numbers only', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { concern, odds, points, firstPerson } = reader.readText(text);
      const all = [concern, ...odds, ...points.flat(), ...firstPerson];
      expect(all.every((value) => typeof value === 'number' && !Number.isNaN(value))).toBe(true);
      expect(Object.keys(reader.readText(text))).toEqual(['concern', 'odds', 'points', 'firstPerson']);
    }),
    { numRuns: 60 },
  );
});
