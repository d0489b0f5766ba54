import { expect, test } from 'vitest';
import { compareClock } from './doctor.js';

test.each([0, 1_500, -1_500])('a clock that differs by %d ms is fine', async (ms) => {
  const found = await compareClock('the database server', async () => Date.now() + ms);
  expect(found).toEqual({ what: 'clock', found: 'agrees with the database server' });
});

test.each([
  [60_000, /^(59|60)\.\d s behind the clock of the Redis server$/],
  [-60_000, /^60\.\d s ahead of the clock of the Redis server$/],
])('a clock that differs by %d ms is a problem with a remedy', async (ms, text) => {
  const { found, remedy } = await compareClock('the Redis server', async () => Date.now() + ms);
  expect(found).toMatch(text);
  expect(remedy).toContain('NTP');
});

test('a slow response of the server is not a difference', async () => {
  const found = await compareClock('the database server', async () => {
    const nowMs = Date.now();
    return new Promise((resolve) => setTimeout(() => resolve(nowMs), 50));
  });
  expect(found.remedy).toBeUndefined();
});
