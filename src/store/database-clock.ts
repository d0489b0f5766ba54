import { setTimeout as sleep } from 'node:timers/promises';

/** Time between two measurements, ms. */
const measureEveryMs = 5_000;
/** Maximum difference between the clock of this process and the database's clock, ms. */
export const differenceMaxMs = 60_000;

/**
 * The clock that all processes of one database share. Processes compare times that other processes stored: leases,
 * retry times, expiry. These times come from this clock, because the clocks of the processes may differ.
 */
export interface DatabaseClock {
  /** Returns the time, epoch ms. Does not query the database. */
  readonly now: () => number;
  /** Returns how far the clock of this process is ahead of this clock, ms. Negative if it is behind. */
  readonly aheadMs: () => number;
  /** Reads the clock of the database server now. Rejects if the database is unavailable. */
  readonly measure: () => Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseClockParts {
  /** Returns the time of the database server, epoch ms. */
  readonly read: () => Promise<number>;
  /** The clock of this process, epoch ms. */
  readonly now: () => number;
  /** Called when the difference of the clocks exceeds `differenceMaxMs`, and when it no longer does. */
  readonly onDifference: (aheadMs: number, isTooLarge: boolean) => void;
}

/**
 * Opens the clock of a database server. Measures the server's time every few seconds and adds the monotonic time since
 * the measurement. A jump of the process clock therefore does not change this clock.
 */
export async function openDatabaseClock({ read, now, onDifference }: DatabaseClockParts): Promise<DatabaseClock> {
  const stop = new AbortController();
  let serverMinusMonotonicMs = 0;
  let aheadMs = 0;
  const serverNow = () => Math.round(serverMinusMonotonicMs + performance.now());
  const measure = async () => {
    const sentAtMs = performance.now();
    const serverMs = await read();
    // The server read its clock between the request and the response.
    serverMinusMonotonicMs = serverMs - (sentAtMs + performance.now()) / 2;
    const wasTooLarge = Math.abs(aheadMs) > differenceMaxMs;
    aheadMs = now() - serverNow();
    const isTooLarge = Math.abs(aheadMs) > differenceMaxMs;
    if (isTooLarge !== wasTooLarge) onDifference(aheadMs, isTooLarge);
  };
  const measureRegularly = async () => {
    while (!stop.signal.aborted) {
      await sleep(measureEveryMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      // The previous measurement stays valid while the database is unavailable.
      if (!stop.signal.aborted) await measure().catch(() => undefined);
    }
  };
  await measure();
  const measuring = measureRegularly();
  return {
    now: serverNow,
    aheadMs: () => aheadMs,
    measure,
    async close() {
      stop.abort();
      await measuring;
    },
  };
}

/** Returns a clock of the database that is the clock of this process. SQLite has no server with its own clock. */
export function followProcessClock(now: () => number): DatabaseClock {
  return { now, aheadMs: () => 0, measure: async () => undefined, close: async () => undefined };
}
