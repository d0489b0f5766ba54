import { expect, test } from 'vitest';
import { createTurns } from './turns.js';

test('work whose signal has aborted, also while it waits, takes no turn and no place in the queue', async () => {
  const takeTurn = createTurns({ policy: 'posts', quota: 2, resetSeconds: 1 });
  const { signal } = new AbortController();
  const end = await takeTurn('anna', signal);
  const left = new AbortController();
  const waiting = takeTurn('anna', left.signal).catch(() => 'left');
  left.abort();
  expect(await waiting).toBe('left');
  await expect(takeTurn('anna', left.signal)).rejects.toThrow('aborted');
  const next = takeTurn('anna', signal);
  await expect(takeTurn('anna', signal)).rejects.toThrow('Rate limit exceeded');
  end();
  (await next)();
  (await takeTurn('anna', signal))();
});
