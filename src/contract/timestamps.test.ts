import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimestampFormatter } from './history.js';

const timestamp = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
const near = fc.tuple(timestamp, fc.array(fc.integer({ min: -200_000, max: 200_000 }), { maxLength: 20 }));

test('times are formatted like toISOString, regardless of earlier calls', () => {
  fc.assert(
    fc.property(near, ([first, steps]) => {
      const write = createTimestampFormatter();
      const timestamps = [first, ...steps.map((step) => Math.max(0, first + step))];
      expect(timestamps.map(write)).toEqual(timestamps.map((ms) => new Date(ms).toISOString()));
    }),
  );
});
