import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bandOf, publishScore } from './states.js';
import { heldScore, laws } from './testing/arbitraries.js';

const value = fc.double({ min: 0, max: 100, noNaN: true });
const publishAll = (values: readonly number[], held: number | undefined) => values.map((it) => publishScore(it, held));

test('the bands cover 0 to 100 at their edges', () => {
  const edges = [0, 19, 20, 39, 40, 59, 60, 79, 80, 100];
  expect(edges.map((score) => bandOf(score).state)).toEqual(
    ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'].flatMap((state) => [state, state]),
  );
});

test('there is one recommendation per band', () => {
  const scores = Array.from({ length: 101 }, (_, score) => bandOf(score).recommendation);
  expect(new Set(scores).size).toBe(5);
});

test('a score is held at the edge of its band until the value lies three points inside another', () => {
  expect(publishAll([59.4, 59.6, 62.9, 63, 83], 55)).toEqual([59, 59, 59, 63, 83]);
  expect(publishAll([40.2, 39, 37.1, 37, 16], 55)).toEqual([40, 40, 40, 37, 16]);
  expect(publishAll([0, 100], 50)).toEqual([0, 100]);
});

test('a new session is held at nothing', () => {
  expect(publishAll([19.4, 19.6, 59.5], undefined)).toEqual([19, 20, 60]);
});

test('a held score lies less than four points from the fused value: three inside the next band, and one between two', () => {
  // Hundredths, because most doubles lie next to 0.
  const hundredths = fc.integer({ min: 0, max: 10_000 }).map((count) => count / 100);
  fc.assert(
    fc.property(hundredths, heldScore, (fused, held) => Math.abs(publishScore(fused, held) - fused) < 4),
    laws,
  );
});

test('within the present band a score is the fused value, rounded', () => {
  fc.assert(
    fc.property(value, heldScore, (fused, held) => {
      const score = Math.round(fused);
      fc.pre(held !== undefined && bandOf(score).state === bandOf(held).state);
      return publishScore(fused, held) === score;
    }),
    laws,
  );
});
