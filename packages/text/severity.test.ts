import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testkit/arbitraries.js';
import { textSentiment } from './settings.js';
import { createSentimentEstimator, openSeverityModel, toSentiment } from './severity.js';

const bytes = readFileSync(new URL('./weights/severity.bin', import.meta.url));
const model = openSeverityModel(bytes);
const estimate = createSentimentEstimator(model);

test('an estimate is within its bounds and does not depend on earlier texts', () => {
  fc.assert(
    fc.property(anyText, anyText, (first, other) => {
      const fresh = createSentimentEstimator(model)(first);
      estimate(other);
      expect(estimate(first)).toBe(fresh);
      if (fresh === undefined) return;
      expect(fresh).toBeGreaterThanOrEqual(textSentiment.sentiment_min);
      expect(fresh).toBeLessThanOrEqual(0);
    }),
    { numRuns: 60 },
  );
});

test('words without distress are neutral, and more severe distress never has a higher sentiment', () => {
  expect(estimate('How do I prune a rose?')).toBe(0);
  fc.assert(
    fc.property(fc.double({ min: -6, max: 6, noNaN: true }), fc.double({ min: 0, max: 6, noNaN: true }), (x, more) => {
      expect(toSentiment(x + more)).toBeLessThanOrEqual(toSentiment(x));
    }),
  );
  // Texts that are all more severe than just stressed keep their order.
  expect(toSentiment(2)).toBeLessThan(toSentiment(1));
  expect(toSentiment(1)).toBeLessThan(toSentiment(0));
});

test('letter case, apostrophes and accents do not change an estimate', () => {
  expect(estimate('I CAN’T STOP CRYING IN THIS CAFÉ')).toBe(estimate("I can't stop crying in this cafe"));
});

test('weights of other features are rejected, and incomplete weights too', () => {
  const other = new Uint8Array(bytes);
  other[4] = (other[4] ?? 0) ^ 1;
  expect(() => openSeverityModel(other)).toThrow('run train');
  expect(() => openSeverityModel(bytes.subarray(0, 1_000))()).toThrow('incomplete');
});
