import { expect, test } from 'vitest';
import { computeTypicalValues } from './baseline.js';
import { computeHeartRateLevel, addToWindow } from './heart.js';
import { stressModel } from './model.js';

const { jump_bpm, jump_bpm_per_second, below_rest_bpm } = stressModel.plausibility;
const staleSeconds = stressModel.age.stale_after_seconds;
const rest = 70;
const typical = { ...computeTypicalValues(undefined, 0).heart_rate, value: rest, restingBpm: rest };

/** Returns true if a heart rate counts immediately, this many seconds after another one. */
function isPlausible(before: number, bpm: number, seconds: number): boolean {
  const first = { value: before, atMs: 0 };
  const recent = addToWindow(first, computeHeartRateLevel(undefined, first, typical));
  return computeHeartRateLevel(recent, { value: bpm, atMs: seconds * 1000 }, typical).isConfirmed;
}

test.each([
  ['a rise without a pause', rest, 0, jump_bpm],
  ['a rise after a pause', rest, 40, jump_bpm + 40 * jump_bpm_per_second],
  ['a rise after a pause, from below rest', rest - 20, 40, jump_bpm + 40 * jump_bpm_per_second],
])('%s counts immediately up to its limit', (_, before, seconds, limit) => {
  expect(isPlausible(before, before + limit, seconds)).toBe(true);
  expect(isPlausible(before, before + limit + 0.1, seconds)).toBe(false);
});

test('a longer pause allows a larger fall only down to a heart rate that is not far below rest', () => {
  const lowest = rest - below_rest_bpm;
  const before = lowest + jump_bpm + 1;
  expect(isPlausible(before, lowest, 0)).toBe(false);
  expect(isPlausible(before, lowest, 40)).toBe(true);
  expect(isPlausible(before, lowest - 0.1, 40)).toBe(false);
  expect(isPlausible(rest, rest - jump_bpm, 40)).toBe(true);
});

test('any heart rate counts immediately when the previous one is stale', () => {
  expect(isPlausible(rest, 220, staleSeconds)).toBe(true);
  expect(isPlausible(rest, rest - jump_bpm - 0.1, staleSeconds - 0.001)).toBe(false);
  expect(isPlausible(rest, rest - jump_bpm - 0.1, staleSeconds)).toBe(true);
});
