import { LRUCache } from 'lru-cache';
import type { DueQueue } from '../store/delivery-queue.js';

/** Number of slots that all accounts share. Each delivery in progress uses one slot. */
export const slotsMax = 512;
/**
 * Number of additional slots that only one account can use. They guarantee that no account can block the deliveries of
 * another.
 */
export const slotsPerAccount = 8;
/** Maximum number of shared and additional slots of one account, so that an account cannot take all of them. */
export const slotsPerAccountMax = 256;
/** Number of concurrent attempts per queue at first. */
export const slotsPerQueue = 4;
export const slotsPerQueueMax = 64;

/** Limits of queues that are known. Another queue starts again with `slotsPerQueue`. */
const knownMax = 10_000;
/** An attempt that takes longer than this in ms, does not increase the limit of its queue. */
const quickMs = 1_000;

export interface QueueShare {
  readonly queue: DueQueue;
  readonly count: number;
}

interface WaitingAccount {
  /** Queues that can start another attempt. */
  readonly open: DueQueue[];
  holds: number;
}

export interface EndedAttempt {
  readonly isSuccess: boolean;
  readonly durationMs: number;
}

/**
 * Counts the deliveries in progress, by account and by queue (account and receiver). The number of concurrent attempts
 * per queue adapts to the receiver.
 */
export function createSlots() {
  const attempts = new Map<string, number>();
  const held = new Map<string, number>();
  const limits = new LRUCache<string, number>({ max: knownMax });
  let total = 0;

  /** Groups the queues by account, accounts with the oldest delivery first. */
  function waitingAccounts(queues: readonly DueQueue[]): WaitingAccount[] {
    const accounts = new Map<string, WaitingAccount>();
    for (const queue of [...queues].sort((a, b) => a.firstDueAtMs - b.firstDueAtMs)) {
      const accountId = readAccountPart(queue);
      const account = accounts.get(accountId) ?? { open: [], holds: held.get(accountId) ?? 0 };
      account.open.push(queue);
      accounts.set(accountId, account);
    }
    return [...accounts.values()];
  }

  const readLimit = (receiver: string) => limits.get(receiver) ?? slotsPerQueue;
  const hasRoom = ({ receiver }: Pick<DueQueue, 'receiver'>) =>
    (attempts.get(receiver) ?? 0) < Math.floor(readLimit(receiver));
  return {
    inUse: (): number => total,
    hasRoom,
    /** Returns true if all shared slots are in use. Each account then has only its additional slots. */
    isExhausted: (): boolean => total >= slotsMax,
    /**
     * Distributes at most `max` free slots among the queues. Each slot goes to the account with the fewest slots. A
     * single account may use `slotsPerAccountMax` slots. Later, the slots that become free go to other accounts with
     * deliveries.
     */
    share(queues: readonly DueQueue[], max: number): QueueShare[] {
      const counts = new Map<DueQueue, number>();
      const used = (queue: DueQueue) => (attempts.get(queue.receiver) ?? 0) + (counts.get(queue) ?? 0);
      const accounts = waitingAccounts(queues.filter(hasRoom));
      for (let granted = 0; granted < max; granted += 1) {
        const mayTake = ({ open, holds }: WaitingAccount) =>
          open.length > 0 && holds < (total + granted < slotsMax ? slotsPerAccountMax : slotsPerAccount);
        const account = least(accounts.filter(mayTake), ({ holds }) => holds);
        const queue = account?.open.shift();
        if (!account || !queue) break;
        account.holds += 1;
        counts.set(queue, (counts.get(queue) ?? 0) + 1);
        if (used(queue) < Math.floor(readLimit(queue.receiver))) account.open.push(queue);
      }
      return [...counts].map(([queue, count]) => ({ queue, count }));
    },
    take(receiver: string): void {
      total += 1;
      add(held, readAccountPart({ receiver }), 1);
      add(attempts, receiver, 1);
    },
    /**
     * Frees the slot of the receiver and adapts its limit. Called when the attempt has ended. `ended` is undefined if the
     * delivery was not sent.
     */
    endAttempt(receiver: string, ended: EndedAttempt | undefined): void {
      const limit = readLimit(receiver);
      // An unused limit gives no information about the receiver.
      const isUsed = (attempts.get(receiver) ?? 0) > limit / 2;
      if (ended) limits.set(receiver, adaptLimit(limit, ended, isUsed));
      add(attempts, receiver, -1);
    },
    /**
     * Frees the slot of the account. Called when the delivery is settled, or when its lease expires without settlement.
     */
    release(receiver: string): void {
      total -= 1;
      add(held, readAccountPart({ receiver }), -1);
    },
  };
}

export type Slots = ReturnType<typeof createSlots>;

/**
 * Returns the next limit of a queue: one more per `limit` successes, half after a failure. Slow successes lead to
 * `slotsPerQueue`. Only slow failures lead to less. A quick failure hardly occupies its slot, and other webhooks of the
 * same host may share the queue.
 */
function adaptLimit(limit: number, { isSuccess, durationMs }: EndedAttempt, isUsed: boolean): number {
  const isQuick = durationMs < quickMs;
  const most = isQuick ? slotsPerQueueMax : slotsPerQueue;
  if (isSuccess && limit <= most) return isUsed ? Math.min(most, limit + 1 / limit) : limit;
  const fewest = isSuccess || isQuick ? Math.min(limit, slotsPerQueue) : 1;
  return Math.max(fewest, limit / 2);
}

/** Returns the part of `Delivery.receiver` that is common to all queues of an account. */
function readAccountPart({ receiver }: Pick<DueQueue, 'receiver'>): string {
  return receiver.slice(0, receiver.length / 2);
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function least<T>(items: readonly T[], of: (item: T) => number): T | undefined {
  let found: T | undefined;
  for (const item of items) if (found === undefined || of(item) < of(found)) found = item;
  return found;
}
