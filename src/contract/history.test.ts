import fc from 'fast-check';
import { expect, test } from 'vitest';
import { laws } from '../../testkit/arbitraries.js';
import { checkLaw } from '../../testkit/law.js';
import { computeTrend, toHistory } from './history.js';
import type { HistoryPoint } from '../../packages/score/signals.js';

const scores = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 40 });
const pointsOf = (values: readonly number[]): HistoryPoint[] =>
  values.map((score, index) => ({ timestampMs: index * 1000, score, confidence: 0.5, model: 2, measured: {} }));

test('fewer than three points have no trend', () => {
  expect([[], [10], [0, 100]].map(computeTrend)).toEqual(['stable', 'stable', 'stable']);
});

test('with three points, the trend compares the last point with the first', () => {
  expect(computeTrend([40, 100, 45])).toBe('rising');
  expect(computeTrend([45, 0, 40])).toBe('falling');
});

test('a difference of at least five score points between the thirds is a trend', () => {
  expect(computeTrend([40, 40, 45])).toBe('rising');
  expect(computeTrend([40, 40, 44])).toBe('stable');
  expect(computeTrend([45, 40, 40])).toBe('falling');
  expect(computeTrend([44, 40, 40])).toBe('stable');
});

test('thirds have whole numbers of points, and the remainder belongs to the middle third', () => {
  expect(computeTrend([40, 40, 90, 90, 90, 90, 40, 40])).toBe('stable');
  expect(computeTrend([40, 90, 90, 90, 40])).toBe('stable');
  expect(computeTrend([40, 40, 40, 44, 46, 44])).toBe('rising');
});

const summaryOf = async (values: number[]) => (await toHistory({ session_id: 's1' }, 5, pointsOf(values))).summary;

test('a window without points has no transitions, minimum or maximum', async () => {
  expect(await toHistory({ session_id: 's1' }, 5, [])).toEqual({
    session_id: 's1',
    minutes: 5,
    datapoints: [],
    trend: 'stable',
    summary: { transitions: 0 },
  });
});

test('a point shows the heart rate, respiratory rate and device that its reading had, and no others', async () => {
  const { datapoints } = await toHistory({ session_id: 's1' }, 5, [
    { timestampMs: 0, score: 20, confidence: 0.5, model: 1, measured: {} },
    {
      ...{ timestampMs: 1000, score: 19, confidence: 0.5, model: 2 },
      measured: { heart_rate: 61.5, respiratory_rate: 15.5, source_device: 'watch', tone: 'calm' },
    },
  ]);
  const [without, withOne] = datapoints;
  expect(without).toEqual({
    timestamp: '1970-01-01T00:00:00.000Z',
    state: 'relaxed',
    stress_score: 20,
    confidence: 0.5,
    model_version: 1,
  });
  expect(withOne).toMatchObject({ state: 'calm', heart_rate: 61.5, respiratory_rate: 15.5, source_device: 'watch' });
});

test('transitions count changes of state, not of score', async () => {
  const count = async (values: number[]) => (await summaryOf(values)).transitions;
  expect(await count([19, 20, 39, 40, 39, 80])).toBe(4);
  expect(await count([20, 30, 39])).toBe(0);
});

test('the mean has one decimal and lies between minimum and maximum', async () => {
  expect(await summaryOf([0, 0, 1])).toEqual({
    transitions: 0,
    min: 0,
    max: 1,
    mean: 0.3,
  });
  await fc.assert(
    fc.asyncProperty(scores, async (values) => {
      fc.pre(values.length > 0);
      const { min, max, mean } = await summaryOf(values);
      expect([min, max]).toEqual([Math.min(...values), Math.max(...values)]);
      expect(mean).toBeGreaterThanOrEqual(Number(min));
      expect(mean).toBeLessThanOrEqual(Number(max));
    }),
    laws,
  );
});

test('a reversed history has the opposite trend', () => {
  const opposite = { rising: 'falling', falling: 'rising', stable: 'stable' } as const;
  checkLaw(scores, (values) => computeTrend([...values].reverse()) === opposite[computeTrend(values)]);
});
