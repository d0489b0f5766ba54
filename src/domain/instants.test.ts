import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInstantWriter } from './instants.js';

const instant = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
const near = fc.tuple(instant, fc.array(fc.integer({ min: -200_000, max: 200_000 }), { maxLength: 20 }));

test('times are formatted like toISOString, regardless of earlier calls', () => {
  fc.assert(
    fc.property(near, ([first, steps]) => {
      const write = createInstantWriter();
      const instants = [first, ...steps.map((step) => Math.max(0, first + step))];
      expect(instants.map(write)).toEqual(instants.map((ms) => new Date(ms).toISOString()));
    }),
  );
});
