import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Closable } from './closing.js';

/** The load of one thread of the process. */
export interface ThreadLoad {
  /** Event-loop lag since the previous read, seconds. */
  readonly lagSeconds: { readonly p99: number; readonly max: number };
  readonly heapBytes: { readonly used: number; readonly limit: number };
}

const resolutionMs = 100;

/**
 * Returns a function that reads the load of the calling thread. Sampling starts at the first read, because it wakes the
 * thread 10 times per second.
 */
export function createThreadLoad(): Closable & { read(): ThreadLoad } {
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
