import { expect, test } from 'vitest';
import { history, inTwoOrders } from '../../testkit/arbitraries.js';
import { law } from '../../testkit/law.js';
import type { Signals } from './rows/values.js';
import { listCategories, mergeSignals, type Reading } from './signals.js';

const mergeAll = (readings: readonly Reading[]) => readings.reduce<Signals>(mergeSignals, {});

test('for each signal, the newest value counts', () => {
  expect(
    mergeAll([
      { atMs: 2000, heart_rate: 80 },
      { atMs: 1000, heart_rate: 60, sentiment: 0.5 },
    ]),
  ).toEqual({ heart_rate: { value: 80, atMs: 2000 }, sentiment: { value: 0.5, atMs: 1000 } });
});

test('at equal timestamps, the more stressful value counts', () => {
  const held = mergeAll([{ atMs: 1, heart_rate: 80, sdnn: 40, tone: 'tense', expression: 'frowning', sentiment: 0 }]);
  const milder = { atMs: 1, heart_rate: 70, sdnn: 50, tone: 'calm', expression: 'smiling', sentiment: 0.1 } as const;
  const harsher = { atMs: 1, heart_rate: 90, sdnn: 30, tone: 'hostile', expression: 'tense', sentiment: -0.1 } as const;
  expect(mergeSignals(held, milder)).toEqual(held);
  expect(mergeSignals(held, harsher)).toEqual(mergeAll([harsher]));
});

law('readings may arrive in any order', inTwoOrders(history), ([one, other]) => {
  expect(mergeAll(other)).toEqual(mergeAll(one));
});

test('a category is listed once, even with several of its signals', () => {
  expect(listCategories({ heart_rate: 80, sdnn: 40, sentiment: 0 })).toEqual(['cardiovascular', 'textual']);
  expect(listCategories({ tone: 'calm', expression: 'neutral' })).toEqual(['vocal', 'visual']);
});
