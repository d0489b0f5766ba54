import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Closable } from './start.js';

/**
 * Time limit of each read of a scrape, in ms. All reads run at the same time. Prometheus discards a scrape after 10 s,
 * and with it also the metrics that report the outage.
 */
const readMs = 2_000;
/**
 * Time limit of a probe whose failure is a value, in ms. Shorter than `readMs`, after which the value would be missing.
 */
export const probeMs = 1_500;

export async function limitTime<Value>(value: Promise<Value>, limitMs = readMs): Promise<Value> {
  const done = new AbortController();
  const late = sleep(limitMs, undefined, { ref: false, signal: done.signal }).then(() => {
    throw new Error(`no response within ${limitMs} ms`);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    done.abort();
  }
}

/**
 * Returns a function that calls `read` at most once per `maxAgeMs`. A rejected read is not cached. `now` is in epoch ms.
 */
export function cacheResult<Value>(maxAgeMs: number, now: () => number, read: () => Promise<Value>) {
  let cached: { readonly value: Promise<Value>; readonly readAtMs: number } | undefined;
  return (): Promise<Value> => {
    // The difference is negative after the clock was set back. The absolute value limits the age in this case too.
    if (cached && Math.abs(now() - cached.readAtMs) < maxAgeMs) return cached.value;
    const value = read();
    const entry = { value, readAtMs: now() };
    cached = entry;
    value.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return value;
  };
}

export interface ReadinessStatus {
  readonly isUp: boolean;
  readonly isWritable: boolean;
  /** Why the process is not ready. Undefined if it is ready. */
  readonly cause: string | undefined;
  /** How long the alert rules of a person have been due, at most. Absent if it is unknown. */
  readonly alertsLagSeconds?: number;
}

/** Lifetime of a cached probe of the database in ms, so that one scrape makes one query. */
const sharedForMs = 500;

const silent: ReadinessStatus = { isUp: false, isWritable: false, cause: 'the database does not respond' };

/**
 * Returns the readiness check. A database that does not respond within the time limit counts as unavailable. `isLeaving`
 * returns true from the first moment of a shutdown.
 */
export function createReadiness({
  checkDatabase,
  isLeaving,
}: {
  readonly checkDatabase: () => Promise<ReadinessStatus>;
  readonly isLeaving: () => boolean;
}): () => Promise<ReadinessStatus> {
  const probe = cacheResult(
    sharedForMs,
    () => performance.now(),
    () => limitTime(checkDatabase(), probeMs).catch(() => silent),
  );
  return async () => ({ ...(await probe()), ...(isLeaving() && { cause: 'the process is shutting down' }) });
}

export interface ThreadLoad {
  /** Event-loop lag since the previous read, in seconds. */
  readonly lagSeconds: { readonly p99: number; readonly max: number };
  readonly heapBytes: { readonly used: number; readonly limit: number };
}

const resolutionMs = 100;

/**
 * Returns a function that reads the load of the calling thread. Sampling starts at the first read, because it wakes the
 * thread 10 times per second.
 */
export function createThreadLoadProbe(): Closable & { read(): ThreadLoad } {
  let histogram: IntervalHistogram | undefined;
  const start = () => {
    const started = monitorEventLoopDelay({ resolution: resolutionMs });
    started.enable();
    return started;
  };
  return {
    read() {
      histogram ??= start();
      const lagSeconds = { p99: readLag(histogram.percentile(99)), max: readLag(histogram.max) };
      histogram.reset();
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return { lagSeconds, heapBytes: { used, limit } };
    },
    async close() {
      histogram?.disable();
    },
  };
}

/**
 * Returns the lag in seconds. Node reports the nanoseconds between two wake-ups, which include the sampling interval.
 */
function readLag(intervalNs: number): number {
  return Math.max(0, intervalNs / 1e9 - resolutionMs / 1000);
}

/** Records the end of a successful backup. Readers see the old or the new content, never a part of it. */
export async function recordBackup(file: string, completedAtMs: number): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ v: 1, completed_at: new Date(completedAtMs).toISOString() })}\n`);
  // The service may run as another user than `backup`. The file contains no secret.
  await chmod(temporary, 0o644);
  await rename(temporary, file);
}

/** Returns the time of the last backup, in epoch ms. Undefined if there is no valid record. */
export async function readLastBackup(file: string): Promise<number | undefined> {
  try {
    const completedAtMs = Date.parse(JSON.parse(await readFile(file, 'utf8')).completed_at);
    return Number.isNaN(completedAtMs) ? undefined : completedAtMs;
  } catch {
    return undefined;
  }
}
