import { retry } from '../store/retry.js';
import type { Load } from '../store/usage-hours.js';

/** Maximum number of accounts per statement, so that its locks last only a few milliseconds. */
const batchMax = 200;

export type LoadSums = ReturnType<typeof createLoadSums>;

/** Sums the load of accounts in memory, for one thread: one small object per account, also while the database is unavailable. */
export function createLoadSums() {
  let sums = new Map<string, Load>();
  let [inProgress, shareMs, activeMs] = [0, 0, 0];

  function add(accountId: string, { calls = 0, cpuMs = 0, rowCount = 0, bytes = 0 }: Partial<Load>): void {
    const sum = sums.get(accountId) ?? { accountId, calls: 0, cpuMs: 0, rowCount: 0, bytes: 0 };
    sums.set(accountId, sum);
    sum.calls += calls;
    sum.cpuMs += cpuMs;
    sum.rowCount += rowCount;
    sum.bytes += bytes;
  }

  /** Returns the CPU time, in ms, of a work that has been in progress since the start, if it existed. */
  function advance(change: 1 | -1): number {
    const { active } = performance.eventLoopUtilization();
    if (inProgress > 0) shareMs += (active - activeMs) / inProgress;
    activeMs = active;
    inProgress += change;
    return shareMs;
  }

  /** Returns the sums since the last call. */
  function take(): Load[] {
    const taken = [...sums.values()];
    sums = new Map();
    return taken;
  }

  return {
    add,
    take,
    /**
     * Begins work on this thread for some accounts, in equal parts. Returns a function that ends it and adds its CPU time: the
     * time in which the thread was busy, divided by the number of works in progress. `rowCount` is that of each account.
     */
    begin(...accountIds: readonly string[]): (rowCount?: number) => void {
      const startedMs = advance(1);
      return (rowCount = 0) => {
        const cpuMs = (advance(-1) - startedMs) / accountIds.length;
        for (const accountId of accountIds) add(accountId, { cpuMs, rowCount });
      };
    },
    /** Writes the sums in batches. Keeps those of a failed batch and of the ones after it, and rejects with its error. */
    async write(writeBatch: (loads: readonly Load[]) => Promise<void>): Promise<void> {
      const loads = take();
      try {
        while (loads.length > 0) {
          await retry(() => writeBatch(loads.slice(0, batchMax)));
          loads.splice(0, batchMax);
        }
      } finally {
        for (const it of loads) add(it.accountId, it);
      }
    },
  };
}
