import { Gauge, type Registry } from 'prom-client';
import { cachedFor } from './cached-for.js';
import type { ThreadLoad } from './thread-load.js';

/** `core` uses the database and delivers webhooks. `http` serves requests. */
export type ThreadName = 'http' | 'core';
type ReadLoad = () => Promise<ThreadLoad>;

/** How long a read is shared, ms, so that all gauges use one read per scrape. */
const sharedForMs = 500;

/**
 * Creates the gauges for event-loop lag and heap. Returns a function that adds a thread. If the read of a thread fails,
 * the scrape omits the thread.
 */
export function addThreadGauges(registry: Registry): (thread: ThreadName, read: ReadLoad) => void {
  const threads: Array<{ readonly thread: ThreadName; readonly read: ReadLoad }> = [];
  const registers = [registry];
  new Gauge({
    name: 'thread_event_loop_lag_seconds',
    help: 'Event-loop lag of each thread since the previous scrape; quantile 1 is the maximum.',
    labelNames: ['thread', 'quantile'],
    registers,
    async collect() {
      this.reset();
      for (const { thread, read } of threads) {
        const { lagSeconds } = (await read().catch(() => undefined)) ?? {};
        if (!lagSeconds) continue;
        this.set({ thread, quantile: '0.99' }, lagSeconds.p99);
        this.set({ thread, quantile: '1' }, lagSeconds.max);
      }
    },
  });
  new Gauge({
    name: 'thread_heap_bytes',
    help: 'JavaScript heap of each thread: in use, and the limit at which the process ends.',
    labelNames: ['thread', 'kind'],
    registers,
    async collect() {
      this.reset();
      for (const { thread, read } of threads) {
        const { heapBytes } = (await read().catch(() => undefined)) ?? {};
        if (!heapBytes) continue;
        this.set({ thread, kind: 'used' }, heapBytes.used);
        this.set({ thread, kind: 'limit' }, heapBytes.limit);
      }
    },
  });
  return (thread, read) => void threads.push({ thread, read: cachedFor(sharedForMs, () => performance.now(), read) });
}
