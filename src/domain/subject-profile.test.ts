import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bounds } from '../../generated/spec.js';
import { typicalOf } from './baseline.js';
import { toBaseline } from './subject-profile.js';
import { baselineAfter, history, laterMs, laws } from './testing/arbitraries.js';

test('a person without measurements has an empty baseline', () => {
  expect(toBaseline({}, laterMs)).toEqual({});
});

test('a baseline shows the typical values of the score, and its histogram contains all learned seconds', () => {
  fc.assert(
    fc.property(history, (readings) => {
      const stored = baselineAfter(readings) ?? {};
      const { heart_rate, sdnn, rmssd } = toBaseline(stored, laterMs);
      const typical = typicalOf(stored, laterMs);
      if (heart_rate) {
        const { histogram, learned_seconds, resting_bpm, typical_bpm, own_share } = heart_rate;
        expect(resting_bpm).toBeCloseTo(typical.heart_rate.restingBpm, 2);
        expect(typical_bpm).toBeCloseTo(typical.heart_rate.value, 2);
        expect(own_share).toBeCloseTo(typical.heart_rate.known, 2);
        expect(histogram.reduce((total, { seconds }) => total + seconds, 0)).toBeCloseTo(learned_seconds, 1);
        for (const { from_bpm } of histogram) {
          expect(from_bpm).toBeGreaterThanOrEqual(bounds.SignalSubmission.heart_rate.minimum);
          expect(from_bpm).toBeLessThanOrEqual(bounds.SignalSubmission.heart_rate.maximum);
        }
      }
      if (sdnn) expect(Math.log(sdnn.typical_ms)).toBeCloseTo(typical.sdnn.value, 2);
      if (rmssd) expect(Math.log(rmssd.typical_ms)).toBeCloseTo(typical.rmssd.value, 2);
      expect([heart_rate, sdnn, rmssd].map(Boolean)).toEqual(
        (['heart_rate', 'sdnn', 'rmssd'] as const).map((name) => stored[name] !== undefined),
      );
    }),
    laws,
  );
});
