import { repeat } from './repeat.js';

/** Time between two measurements in ms. */
const measureEveryMs = 5_000;
/** Maximum difference between the clocks of two machines, in ms. */
const differenceMaxMs = 60_000;

/**
 * The clock that all processes of one database share. Processes compare times that other processes stored: leases,
 * retry times, expiry. These times come from this clock, because the clocks of the processes may differ.
 */
export interface DatabaseClock {
  /** Returns the time in epoch ms. Does not query the database. */
  readonly now: () => number;
  /** Returns how far the clock of this process is ahead of the database clock, in ms. Negative if it is behind. */
  readonly aheadMs: () => number;
  /**
   * Returns the time in epoch ms to compare expiry times with before a deletion. Undefined if no clock can be trusted.
   * Rejects if the database is unavailable.
   */
  readonly readPurgeTime: () => Promise<number | undefined>;
  close(): Promise<void>;
}

/** A clock, and how far it is ahead of the clock of this process, in ms. */
export interface OtherClock {
  readonly host: string;
  readonly aheadMs: number;
}

export interface ServerClockParts {
  /** Returns the time of the database server, in epoch ms. */
  readonly read: () => Promise<number>;
  /** Returns the clocks of all reachable hosts. Empty if there is one host. */
  readonly readHosts: () => Promise<readonly OtherClock[]>;
  /** The clock of this process in epoch ms. */
  readonly now: () => number;
  /** Called after each measurement with the difference of the database's time and `monotonicMs`, in ms. */
  readonly onMeasured?: ((serverMinusMonotonicMs: number) => void) | undefined;
  /** Called when the difference of the clocks becomes too large, and when it no longer is. */
  readonly onDifference: (aheadMs: number, isTooLarge: boolean) => void;
  /** Called before every purge for each host whose clock differs too much from the clock of this process. */
  readonly onHostDifference: (clock: OtherClock) => void;
}

/** Returns the time of a clock that never jumps, in ms. All threads of a process share it, unlike `performance.now`. */
export function readMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Opens the clock of a database server. Measures the server's time every few seconds and adds the monotonic time since
 * the measurement. A jump of the process clock therefore does not change this clock.
 */
export async function openServerClock(parts: ServerClockParts): Promise<DatabaseClock> {
  const { read, readHosts, now, onMeasured, onDifference, onHostDifference } = parts;
  let serverMinusMonotonicMs = 0;
  let aheadMs = 0;
  let isClosed = false;
  const serverNow = () => Math.round(serverMinusMonotonicMs + readMonotonicMs());
  const measure = async () => {
    const sentAtMs = readMonotonicMs();
    const serverMs = await read();
    // The server read its clock between the request and the response.
    serverMinusMonotonicMs = serverMs - (sentAtMs + readMonotonicMs()) / 2;
    onMeasured?.(serverMinusMonotonicMs);
    const wasTooLarge = isTooLarge(aheadMs);
    aheadMs = now() - serverNow();
    if (isTooLarge(aheadMs) !== wasTooLarge) onDifference(aheadMs, !wasTooLarge);
  };
  await measure();
  // The previous measurement stays valid while the database is unavailable.
  const measuring = repeat({ everyMs: measureEveryMs, work: async () => isClosed || measure() });
  return {
    now: serverNow,
    aheadMs: () => aheadMs,
    async readPurgeTime() {
      await measure();
      const differing = (await readHosts()).filter((host) => isTooLarge(host.aheadMs));
      differing.forEach(onHostDifference);
      return isTooLarge(aheadMs) || differing.length > 0 ? undefined : serverNow();
    },
    close() {
      isClosed = true;
      return measuring.close();
    },
  };
}

function isTooLarge(differenceMs: number): boolean {
  return Math.abs(differenceMs) > differenceMaxMs;
}

export interface SqliteClockParts {
  /** The clock of this process in epoch ms. */
  readonly now: () => number;
  /** Returns the timestamp of the newest live reading, in epoch ms. Undefined if none is stored. */
  readonly findNewestReading: () => Promise<number | undefined>;
  /** How long readings are stored in ms. */
  readonly readingsMs: number;
  /** A monotonic clock in ms. Tests replace it. */
  readonly monotonic?: () => number;
}

/**
 * Returns the clock of an embedded database, which is the clock of this process.
 *
 * There is no other clock to compare, so a wrong clock is not detected. The purge therefore uses the earlier one of two
 * times: the clock, and the timestamp of the newest live reading plus the monotonic time since the purge found the
 * reading. If no reading is stored, the second time is the start of this process plus its uptime, and the purge waits
 * until the uptime is `readingsMs`.
 */
export function createSqliteClock(parts: SqliteClockParts): DatabaseClock {
  const { now, findNewestReading, readingsMs, monotonic = () => performance.now() } = parts;
  const started = { atMs: now(), monotonicMs: monotonic() };
  let readingMinusMonotonicMs = Number.NEGATIVE_INFINITY;
  const readPurgeTime = async () => {
    const newestMs = (await findNewestReading()) ?? Number.NEGATIVE_INFINITY;
    const monotonicMs = monotonic();
    readingMinusMonotonicMs = Math.max(readingMinusMonotonicMs, newestMs - monotonicMs);
    if (readingMinusMonotonicMs > Number.NEGATIVE_INFINITY)
      return Math.min(now(), readingMinusMonotonicMs + monotonicMs);
    const uptimeMs = monotonicMs - started.monotonicMs;
    return uptimeMs < readingsMs ? undefined : Math.min(now(), started.atMs + uptimeMs);
  };
  return { ...followClock(now), readPurgeTime };
}

/** Returns a database clock that shows the time of another clock. */
export function followClock(now: () => number): DatabaseClock {
  return { now, aheadMs: () => 0, readPurgeTime: async () => now(), close: async () => undefined };
}
