import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWindowLimit } from './window-limit.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const limit = () => createWindowLimit({ policy: 'session', quota: 3, windowSeconds: 60 });

test('a window starts with its first request, is never extended, and resets after its length', async () => {
  const consume = limit();
  const passed: number[] = [];
  for (let second = 0; second < 125; second++) {
    const allowance = await consume('a', 's');
    if (!allowance?.isExceeded) passed.push(second);
    expect(allowance).toMatchObject({ resetSeconds: 60 - (second % 60) });
    vi.advanceTimersByTime(1000);
  }
  expect(passed).toEqual([0, 1, 2, 60, 61, 62, 120, 121, 122]);
});

test('a new window never states more seconds than its length', async () => {
  const consume = limit();
  vi.advanceTimersByTime(6_000);
  for (let index = 0; index < 1000; index++) {
    vi.advanceTimersByTime(0.123457);
    expect(await consume('a', `s${index}`)).toMatchObject({ resetSeconds: 60 });
  }
});

test('each name has its own window', async () => {
  const consume = limit();
  await Promise.all([consume('a', 's'), consume('a', 's'), consume('a', 's')]);
  expect(await consume('a', 's')).toMatchObject({ isExceeded: true, remaining: 0 });
  expect(await consume('a', 'S')).toMatchObject({ isExceeded: false, remaining: 2 });
  expect(await consume('b', 's')).toMatchObject({ isExceeded: false, remaining: 2 });
});

test('a quota of 0 means unlimited', async () => {
  const consume = createWindowLimit({ policy: 'session', quota: 0, windowSeconds: 60 });
  expect(await consume('a', 's')).toBeUndefined();
});

test('a window has no timer, and one that has ended is forgotten at a later request', async () => {
  const forget = vi.spyOn(Map.prototype, 'delete');
  const consume = limit();
  for (let index = 0; index < 1000; index++) await consume('a', `s${index}`);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(await consume('a', 's0')).toMatchObject({ remaining: 2 });
  expect(forget).toHaveBeenCalledTimes(1000);
  forget.mockRestore();
});
