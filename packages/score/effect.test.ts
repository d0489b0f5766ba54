import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateEffect } from './effect.js';
import { topicEffect } from './model.js';
import { isComparable } from './response.js';
import type { StressSums } from './rows/trigger.js';
import { addStress } from './usual.js';

const sumsOf = (...stress: readonly number[]): StressSums | undefined =>
  addStress(
    undefined,
    stress.map((measured) => ({ measured, weight: 1 })),
  );

/** Returns the effect of a topic with turns of this stress, beside other turns and turns of related topics. */
function effectOf(own: readonly number[], others: readonly number[], related: ReadonlyArray<readonly number[]> = []) {
  const all = sumsOf(...own, ...others, ...related.flat());
  return estimateEffect({ all }, { own: sumsOf(...own), related: related.flatMap((it) => sumsOf(...it) ?? []) });
}

const calm = [30, 36, 28, 34, 40, 31, 33, 37, 29, 35];

test('a topic has no effect while fewer than ten other turns are known, or before its first turn', () => {
  expect(effectOf([80, 80], calm.slice(1))).toBeUndefined();
  expect(effectOf([], calm)).toBeUndefined();
  expect(effectOf([80, 80], calm)).toBeDefined();
  expect([calm, calm.slice(1)].map((it) => isComparable({ all: sumsOf(...it) }, undefined))).toEqual([true, false]);
});

test('the evidence grows with the turns, and the effect toward the difference', () => {
  const [once, twice, often] = [1, 2, 12].map((count) => effectOf(Array<number>(count).fill(55), calm));
  expect(once?.points).toBeLessThan(twice?.points ?? 0);
  expect(twice?.points).toBeLessThan(often?.points ?? 0);
  expect(often?.points).toBeLessThan(22);
  expect(often?.evidence).toBe('strong');
  expect(effectOf([38], calm)?.evidence).toBe('weak');
});

test('stressful topics of the same area raise the effect of a topic, other ones do not', () => {
  const alone = effectOf([45, 45], [...calm, 60, 62, 58, 61]);
  const together = effectOf([45, 45], calm, [
    [60, 62],
    [58, 61],
  ]);
  expect(together?.points).toBeGreaterThan(alone?.points ?? 0);
});

test('a related topic counts from its first turn', () => {
  const alone = effectOf([45, 45], [...calm, 60, 58]);
  const together = effectOf([45, 45], calm, [[60], [58]]);
  expect(together?.points).toBeGreaterThan(alone?.points ?? 0);
  const [all, own] = [sumsOf(45, 45, ...calm), sumsOf(45, 45)];
  const none = { ...own, turns: 0, sum: 0, squares: 0 };
  expect(estimateEffect({ all }, { own, related: [none] })).toEqual(estimateEffect({ all }, { own, related: [] }));
});

test('turns that a rise followed do not tell what is usual, however many they are', () => {
  const [own, stressful] = [
    [69, 69, 69],
    [66, 68, 67, 69, 66, 68, 67, 69, 68, 66],
  ];
  const all = sumsOf(...own, ...calm, ...stressful);
  const effect = estimateEffect({ all, calm: sumsOf(...calm) }, { own: sumsOf(...own), related: [] });
  expect(effect?.evidence).not.toBe('weak');
  expect(estimateEffect({ all }, { own: sumsOf(...own), related: [] })?.evidence).toBe('weak');
  const few = estimateEffect({ all, calm: sumsOf(...calm.slice(1)) }, { own: sumsOf(...own), related: [] });
  expect(few, 'fewer than ten turns tell nothing').toEqual(
    estimateEffect({ all }, { own: sumsOf(...own), related: [] }),
  );
});

test('without related topics, the effect lies between 0 and the difference to the other turns', () => {
  const stress = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(fc.array(stress, { minLength: 1 }), fc.array(stress, { minLength: 10 }), (own, others) => {
      const meanOf = (values: readonly number[]) => values.reduce((sum, it) => sum + it, 0) / values.length;
      const difference = meanOf(own) - meanOf(others);
      const { points = NaN } = effectOf(own, others) ?? {};
      expect(points).toBeGreaterThanOrEqual(Math.min(0, difference) - 0.01);
      expect(points).toBeLessThanOrEqual(Math.max(0, difference) + 0.01);
    }),
  );
});

test('a spread of the other turns below the minimum counts as the minimum', () => {
  const spread = fc.double({ min: 0, max: topicEffect.turn_sd_points_min, noNaN: true });
  fc.assert(
    fc.property(fc.double({ min: 20, max: 80, noNaN: true }), spread, spread, (own, one, other) => {
      const [a, b] = [one, other].map((sd) => {
        const others = Array.from({ length: 10 }, (_, index) => 50 + (index % 2 === 0 ? sd : -sd));
        return effectOf([own], others);
      });
      expect(a?.points).toBeCloseTo(b?.points ?? NaN, 1);
      expect(a?.evidence).toBe(b?.evidence);
    }),
  );
});
