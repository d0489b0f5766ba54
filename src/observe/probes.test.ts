import { expect, test } from 'vitest';
import { cacheResult } from './probes.js';

function counting(outcomes: ReadonlyArray<number | Error> = []) {
  const clock = { nowMs: 1_000 };
  let reads = 0;
  const read = async () => {
    const outcome = outcomes[reads++] ?? reads;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { clock, cached: cacheResult(100, () => clock.nowMs, read), reads: () => reads };
}

test('concurrent and later calls share one read until it expires', async () => {
  const { clock, cached, reads } = counting();
  expect(await Promise.all([cached(), cached()])).toEqual([1, 1]);
  clock.nowMs += 99;
  expect(await cached()).toBe(1);
  clock.nowMs += 1;
  expect(await cached()).toBe(2);
  expect(reads()).toBe(2);
});

test('a rejected read is not cached', async () => {
  const { cached } = counting([new Error('no database'), 7]);
  await expect(cached()).rejects.toThrow('no database');
  expect(await cached()).toBe(7);
});

test('a clock that was set back does not keep an old value', async () => {
  const { clock, cached } = counting();
  await cached();
  clock.nowMs -= 10_000;
  expect(await cached()).toBe(2);
});
