import { expect, test } from 'vitest';
import {
  createSlots,
  type QueueShare,
  slotsMax,
  slotsPerAccount,
  slotsPerAccountMax,
  slotsPerQueue,
  slotsPerQueueMax,
} from './slots.js';

const createQueue = (account: number, receiver: number) => ({
  receiver: `${account.toString(16).padStart(8, '0')}${receiver.toString(16).padStart(8, '0')}`,
  firstDueAtMs: 0,
  lastDueAtMs: 0,
});
const createQueues = (account: number, count: number) =>
  Array.from({ length: count }, (_, receiver) => createQueue(account, receiver));
const total = (shares: readonly QueueShare[]) => shares.reduce((sum, { count }) => sum + count, 0);

/** Takes slots until no queue gets another one. */
function takeAll(slots: ReturnType<typeof createSlots>, queues: ReturnType<typeof createQueues>): number {
  let taken = 0;
  for (;;) {
    const shares = slots.share(queues, 128);
    if (shares.length === 0) return taken;
    for (const { queue, count } of shares) for (let index = 0; index < count; index += 1) slots.take(queue.receiver);
    taken += total(shares);
  }
}

const quickSuccess = { isSuccess: true, durationMs: 50 };
const slowSuccess = { isSuccess: true, durationMs: 5_000 };
const quickFailure = { isSuccess: false, durationMs: 50 };
const timeout = { isSuccess: false, durationMs: 10_000 };

/**
 * Ends every attempt of the queue with the outcome and starts as many as possible, `rounds` times. Returns their number.
 */
function repeat(
  slots: ReturnType<typeof createSlots>,
  ended: Parameters<typeof slots.endAttempt>[1],
  rounds: number,
  queue = createQueue(1, 0),
): number {
  let inFlight = slots.inUse() || takeAll(slots, [queue]);
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < inFlight; index += 1) {
      slots.endAttempt(queue.receiver, ended);
      slots.release(queue.receiver);
    }
    inFlight = takeAll(slots, [queue]);
  }
  return inFlight;
}

test('a queue gets slotsPerQueue slots at first, and a single account at most slotsPerAccountMax', () => {
  const slots = createSlots();
  expect(takeAll(slots, createQueues(1, 1))).toBe(slotsPerQueue);
  expect(takeAll(createSlots(), createQueues(1, 1000))).toBe(slotsPerAccountMax);
});

test('a queue whose receiver answers quickly gets more slots, up to slotsPerQueueMax', () => {
  const slots = createSlots();
  expect(repeat(slots, quickSuccess, 1)).toBe(slotsPerQueue);
  expect(repeat(slots, quickSuccess, 20)).toBeGreaterThan(2 * slotsPerQueue);
  expect(repeat(slots, quickSuccess, 200)).toBe(slotsPerQueueMax);
});

test('failures halve the slots of a queue: quick ones down to slotsPerQueue, timeouts down to one', () => {
  const slots = createSlots();
  repeat(slots, quickSuccess, 200);
  const [queue] = createQueues(1, 1);
  if (!queue) throw new Error('none');
  slots.endAttempt(queue.receiver, quickFailure);
  slots.release(queue.receiver);
  // Another attempt fits only when half of the attempts have ended.
  expect(takeAll(slots, [queue])).toBe(0);
  expect(repeat(slots, quickFailure, 1)).toBe(slotsPerQueue);
  expect(repeat(slots, timeout, 1)).toBe(1);
  expect(repeat(slots, slowSuccess, 100)).toBe(slotsPerQueue);
});

test('a receiver that becomes slow returns to slotsPerQueue, and attempts that were not sent change nothing', () => {
  const slots = createSlots();
  repeat(slots, quickSuccess, 200);
  expect(repeat(slots, undefined, 3)).toBe(slotsPerQueueMax);
  expect(repeat(slots, slowSuccess, 1)).toBe(slotsPerQueue);
});

test('a queue that does not use its slots gets no more', () => {
  const slots = createSlots();
  const { receiver } = createQueue(1, 0);
  for (let count = 0; count < 1_000; count += 1) {
    slots.take(receiver);
    slots.endAttempt(receiver, quickSuccess);
    slots.release(receiver);
  }
  expect(takeAll(slots, createQueues(1, 1))).toBe(slotsPerQueue);
});

test('the slots of one receiver do not change those of another one', () => {
  const slots = createSlots();
  repeat(slots, timeout, 3);
  expect(takeAll(slots, [createQueue(1, 1)])).toBe(slotsPerQueue);
});

test('accounts that hold every shared slot do not block the additional slots of another account', () => {
  const slots = createSlots();
  takeAll(slots, [...createQueues(1, 1000), ...createQueues(2, 1000)]);
  expect(slots.isExhausted()).toBe(true);
  expect(takeAll(slots, [...createQueues(1, 1000), ...createQueues(2, 1000), ...createQueues(3, 100)])).toBe(
    slotsPerAccount,
  );
});

test('freed slots go to the account with fewer slots until both have the same number', () => {
  const slots = createSlots();
  takeAll(slots, [...createQueues(1, 64), ...createQueues(3, 64)]);
  const both = [...createQueues(1, 200), ...createQueues(2, 200)];
  takeAll(slots, both);
  const held = { first: slotsPerAccountMax, second: slotsPerAccount };
  for (const { receiver } of createQueues(1, 64))
    for (let index = 0; index < slotsPerQueue; index += 1) {
      slots.endAttempt(receiver, undefined);
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
  expect(takeAll(slots, [createQueue(1, 7), createQueue(2, 7)])).toBe(2 * slotsPerQueue);
});
