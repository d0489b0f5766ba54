import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPendingCalls } from './connection.js';

const steps = fc.array(fc.oneof(fc.constant('enter' as const), fc.nat(20)), { maxLength: 100 });

test('all() returns each entry that has not left, with its number', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const inFlight = createPendingCalls<{ id: number }>();
      const expected = new Map<number, { id: number }>();
      for (const [id, step] of taken.entries()) {
        if (step === 'enter') {
          const number = inFlight.enter({ id });
          expect(expected.has(number)).toBe(false);
          expected.set(number, { id });
        } else {
          expect(inFlight.leave(step)).toEqual(expected.get(step));
          expected.delete(step);
        }
      }
      const ids = (all: Iterable<{ id: number }>) => [...all].map((it) => it.id).sort((a, b) => a - b);
      expect(ids(inFlight.all())).toEqual(ids(expected.values()));
    }),
  );
});

test('numbers are reused, so there are never more numbers than concurrent entries', () => {
  const inFlight = createPendingCalls<object>();
  const numbers = Array.from({ length: 1_000 }, () => {
    const [first, second] = [inFlight.enter({}), inFlight.enter({})];
    inFlight.leave(first);
    inFlight.leave(second);
    return [first, second];
  });
  expect(new Set(numbers.flat())).toEqual(new Set([0, 1]));
});
