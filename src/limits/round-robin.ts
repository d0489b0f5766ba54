import { type Pause, sliceItems } from '../store/scope.js';
import { computeAccountShare } from './window-limit.js';

export interface RoundRobinOptions {
  /** Maximum number of slices that run at the same time. */
  readonly atOnce?: number;
  /** Number of rows after which a read pauses. It processes them in a few milliseconds. */
  readonly sliceRows?: number;
  /** Called before each slice. Returns a function that is called after it, with the number of its rows. */
  readonly beginSlice?: (accountId: string) => (rows: number) => void;
}

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

export type RoundRobin = ReturnType<typeof createRoundRobin>;

/**
 * Shares a thread among accounts, round robin. At most `atOnce` reads run at the same time, half of them of one account.
 * The others wait. A long read pauses between its slices and waits until its account is next, so that an account with many
 * or long reads delays another account by one slice. After a pause, a read counts like all that its account may run: its
 * statements are long, and occupy the thread and the database.
 */
export function createRoundRobin({ atOnce = 1, sliceRows = sliceItems, beginSlice }: RoundRobinOptions = {}) {
  const share = computeAccountShare(atOnce);
  /** By account. The first account is next. */
  const waiting = new Map<string, Waiting[]>();
  const running = new Map<string, number>();
  let total = 0;
  let isScheduled = false;

  function begin(): void {
    isScheduled = false;
    for (const [accountId, queue] of waiting) {
      const used = running.get(accountId) ?? 0;
      const [next, ...others] = queue as [Waiting, ...Waiting[]];
      if (total > 0 && total + next.weight > atOnce) return;
      if (used > 0 && used + next.weight > share) continue;
      waiting.delete(accountId);
      if (others.length > 0) waiting.set(accountId, others);
      running.set(accountId, used + next.weight);
      total += next.weight;
      next.begin();
    }
  }

  function take(accountId: string, weight: number): Promise<void> {
    return new Promise((resolve) => {
      const queue = waiting.get(accountId) ?? [];
      queue.push({ weight, begin: resolve });
      waiting.set(accountId, queue);
      if (!isScheduled) begin();
    });
  }

  function end(accountId: string, weight: number): void {
    total -= weight;
    const used = (running.get(accountId) ?? 0) - weight;
    if (used > 0) running.set(accountId, used);
    else running.delete(accountId);
    const queue = waiting.get(accountId);
    waiting.delete(accountId);
    if (queue) waiting.set(accountId, queue);
    // The embedded database responds without an event in between, and requests that have arrived would wait.
    if (!isScheduled) setImmediate(begin);
    isScheduled = true;
  }

  return {
    /**
     * Runs a read of an account, slice by slice. The read must call `pause` with the number of rows of each statement and
     * of each part that it processes.
     */
    async run<T>(accountId: string, read: (pause: Pause) => Promise<T>): Promise<T> {
      let [rows, weight] = [0, 1];
      await take(accountId, weight);
      let endSlice = beginSlice?.(accountId);
      const pause: Pause = async (count) => {
        rows += count;
        if (rows < sliceRows) return;
        endSlice?.(rows);
        rows = 0;
        end(accountId, weight);
        weight = share;
        await take(accountId, weight);
        endSlice = beginSlice?.(accountId);
      };
      try {
        return await read(pause);
      } finally {
        endSlice?.(rows);
        end(accountId, weight);
      }
    },
  };
}
