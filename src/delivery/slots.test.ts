import { expect, test } from 'vitest';
import { createSlots, type Share, slotsMax, slotsPerAccount, slotsPerQueue } from './slots.js';

const queueOf = (account: number, receiver: number) => ({
  receiver: `${account.toString(16).padStart(8, '0')}${receiver.toString(16).padStart(8, '0')}`,
  firstDueAtMs: 0,
  lastDueAtMs: 0,
});
const queuesOf = (account: number, count: number) =>
  Array.from({ length: count }, (_, receiver) => queueOf(account, receiver));
const total = (shares: readonly Share[]) => shares.reduce((sum, { count }) => sum + count, 0);

/** Takes slots until no queue gets another one. */
function takeAll(slots: ReturnType<typeof createSlots>, queues: ReturnType<typeof queuesOf>): number {
  let taken = 0;
  for (;;) {
    const shares = slots.share(queues, 128);
    if (shares.length === 0) return taken;
    for (const { queue, count } of shares) for (let index = 0; index < count; index += 1) slots.take(queue.receiver);
    taken += total(shares);
  }
}

test('a queue gets at most slotsPerQueue slots, and a single account may use all shared slots', () => {
  const slots = createSlots();
  expect(takeAll(slots, queuesOf(1, 1))).toBe(slotsPerQueue);
  expect(takeAll(createSlots(), queuesOf(1, 1000))).toBe(slotsMax);
});

test('an account that holds every shared slot does not block the additional slots of another account', () => {
  const slots = createSlots();
  takeAll(slots, queuesOf(1, 1000));
  expect(slots.isExhausted()).toBe(true);
  expect(takeAll(slots, [...queuesOf(1, 1000), ...queuesOf(2, 100)])).toBe(slotsPerAccount);
});

test('freed slots go to the account with fewer slots until both have the same number', () => {
  const slots = createSlots();
  takeAll(slots, queuesOf(1, 128));
  const both = [...queuesOf(1, 200), ...queuesOf(2, 200)];
  takeAll(slots, both);
  const held = { first: slotsMax, second: slotsPerAccount };
  for (const { receiver } of queuesOf(1, 128))
    for (let index = 0; index < slotsPerQueue; index += 1) {
      slots.endAttempt(receiver);
      slots.release(receiver);
      held.first -= 1;
      for (const { queue, count } of slots.share(both, 128)) {
        for (let taken = 0; taken < count; taken += 1) slots.take(queue.receiver);
        held[queue.receiver.startsWith('00000001') ? 'first' : 'second'] += count;
      }
      // Checks that other accounts get the slots that the first account frees.
      if (held.first > held.second + 1) expect(slots.inUse()).toBeLessThanOrEqual(slotsMax + slotsPerAccount);
    }
  expect(Math.abs(held.first - held.second)).toBeLessThanOrEqual(slotsPerAccount);
});

test('two accounts with the same receiver have separate slots for it', () => {
  const slots = createSlots();
  expect(takeAll(slots, [queueOf(1, 7), queueOf(2, 7)])).toBe(2 * slotsPerQueue);
});
