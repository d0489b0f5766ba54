import { expect, test } from 'vitest';
import { createTurns } from './turns.js';

test('work whose signal has aborted, also while it waits, takes no turn and no place in the queue', async () => {
  const takeTurn = createTurns({ atOnceMax: 1, turnsMax: 2, refuse: () => new Error('too many turns') });
  const { signal } = new AbortController();
  const end = await takeTurn('anna', signal);
  const left = new AbortController();
  const waiting = takeTurn('anna', left.signal).catch(() => 'left');
  left.abort();
  expect(await waiting).toBe('left');
  await expect(takeTurn('anna', left.signal)).rejects.toThrow('aborted');
  const next = takeTurn('anna', signal);
  await expect(takeTurn('anna', signal)).rejects.toThrow('too many turns');
  end();
  (await next)();
  (await takeTurn('anna', signal))();
});

test('of two turns at once, each end lets the next one begin, in the order of arrival', async () => {
  const takeTurn = createTurns({ atOnceMax: 2, turnsMax: 4, refuse: () => new Error('too many turns') });
  const begun: string[] = [];
  const ends = await Promise.all(['1', '2'].map(() => takeTurn('anna')));
  const waiting = ['3', '4'].map((it) => takeTurn('anna').then((end) => (begun.push(it), end)));
  ends[1]?.();
  await waiting[0];
  expect(begun).toEqual(['3']);
  ends[0]?.();
  await waiting[1];
  expect(begun).toEqual(['3', '4']);
});
