import { expect, test } from 'vitest';
import { toStateReading } from './state-reading.js';

test.each([
  [82, 82, false],
  [50, 50, false],
  [82, 83, false],
  [30, 50, false],
  [82, 81, true],
  [50, 30, true],
  [10, 30, true],
  [30, 30, true],
])('after a score of %i, a score of %i: effective is %s', (previousScore, score, effective) => {
  const rest = { confidence: 0.5, model: 1, learned: 0, received: [], reason: 'Calm voice.' };
  const computed = { timestampMs: 0, score, previousScore, ...rest };
  expect(toStateReading('s1', computed).adaptation_effectiveness).toMatchObject({ effective });
});
