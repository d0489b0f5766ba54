import { expect, test } from 'vitest';
import { createSqliteClock } from './database-clock.js';

const hourMs = 60 * 60 * 1000;
const startMs = Date.UTC(2026, 10, 21);

/** Opens the clock of an embedded database. The test sets all times. */
function open(newestMs?: number) {
  const times = { nowMs: startMs, monotonicMs: 0, newestMs };
  const { readPurgeTime } = createSqliteClock({
    now: () => times.nowMs,
    findNewestReading: async () => times.newestMs,
    readingsMs: 24 * hourMs,
    monotonic: () => times.monotonicMs,
  });
  const pass = (ms: number) => {
    times.nowMs += ms;
    times.monotonicMs += ms;
  };
  return { times, pass, readPurgeTime };
}

test('an idle service purges by the newest reading and its uptime', async () => {
  const { pass, times, readPurgeTime } = open(startMs - 5 * hourMs);
  expect(await readPurgeTime()).toBe(startMs - 5 * hourMs);
  pass(24 * hourMs);
  expect(await readPurgeTime()).toBe(startMs + 19 * hourMs);
  // The purge deletes the reading.
  times.newestMs = undefined;
  pass(hourMs);
  expect(await readPurgeTime()).toBe(startMs + 20 * hourMs);
});

test('with live readings, the purge follows the clock', async () => {
  const { pass, times, readPurgeTime } = open(startMs - 5 * hourMs);
  await readPurgeTime();
  pass(hourMs);
  times.newestMs = times.nowMs;
  expect(await readPurgeTime()).toBe(times.nowMs);
});

test.each([48 * hourMs, -48 * hourMs])('a clock that jumps by %s ms does not advance the purge', async (jumpMs) => {
  const { pass, times, readPurgeTime } = open(startMs);
  pass(10 * 24 * hourMs);
  times.newestMs = times.nowMs;
  const before = (await readPurgeTime()) ?? 0;
  pass(1_000);
  times.nowMs += jumpMs;
  expect(await readPurgeTime()).toBe(Math.min(before + 1_000, times.nowMs));
});

test('without a live reading, the purge starts after one retention of uptime', async () => {
  const { pass, times, readPurgeTime } = open();
  pass(24 * hourMs - 1);
  expect(await readPurgeTime()).toBeUndefined();
  pass(1);
  expect(await readPurgeTime()).toBe(times.nowMs);
  times.nowMs += 48 * hourMs;
  expect(await readPurgeTime()).toBe(startMs + 24 * hourMs);
});
