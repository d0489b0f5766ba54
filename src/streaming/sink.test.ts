import { Writable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { drained } from './sink.js';

test('a response whose client reads nothing is destroyed at the limit, and not before', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const sink = new Writable({ highWaterMark: 1, write: () => undefined });
  sink.write('a row');
  const waiting = drained(sink, 1_000);
  vi.advanceTimersByTime(999);
  expect(sink.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(sink.destroyed).toBe(true);
  await waiting;
});
