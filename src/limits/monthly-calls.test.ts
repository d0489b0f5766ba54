import { expect, test } from 'vitest';
import { toMonth, countSecondsLeft } from './monthly-calls.js';

test('a month is the UTC calendar month, up to its last millisecond', () => {
  expect(toMonth(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe('2026-12');
  expect(toMonth(Date.UTC(2027, 0, 1))).toBe('2027-01');
  expect(countSecondsLeft(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe(1);
  expect(countSecondsLeft(Date.UTC(2028, 1, 1))).toBe(29 * 24 * 60 * 60);
});
