import { expect, test } from 'vitest';
import { signals } from '../../../generated/spec.js';
import { cleanIntervals } from '../src/index.js';

const { minimum, maximum, items_max } = signals.rr_intervals_ms;

test('one impossible interval is left out, and the others stay in their order', () => {
  const intervals = [minimum, 812.4, minimum - 1, Number.NaN, 790, maximum + 1, maximum];
  expect(cleanIntervals(intervals)).toEqual({ rr_intervals_ms: [minimum, 812, 790, maximum] });
});

test('without a possible interval, the part of the submission is empty', () => {
  expect(cleanIntervals([])).toEqual({});
  expect(cleanIntervals([0, 65_535])).toEqual({});
});

test('the newest intervals stay if there are too many', () => {
  const intervals = Array.from({ length: items_max + 2 }, (_, index) => 700 + index);
  expect(cleanIntervals(intervals).rr_intervals_ms).toEqual(intervals.slice(2));
});
