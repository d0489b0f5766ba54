import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { noKnownRows } from './features.js';
import { classTotal, loadTopicModel } from './model.js';
import { readText } from './reading.js';

const model = loadTopicModel(readFileSync(new URL('./weights.bin', import.meta.url)));

test('known words say the same as when they are taken apart', () => {
  const index = { ...model.index, known: noKnownRows };
  const text =
    'My boss is not happy, I worry about the exams and the rent. Zorbing on Tuesdays is not stressful any more.';
  const [whole, apart] = [readText(model, text), readText({ ...model, index }, text)];
  expect(whole.odds).toHaveLength(classTotal);
  whole.odds.forEach((odds, k) => expect(Math.log(odds / (apart.odds[k] ?? 0))).toBeCloseTo(0, 4));
  expect(whole.points).toEqual(apart.points);
});
