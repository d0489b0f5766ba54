import { Gauge, type Registry } from 'prom-client';
import { cachedFor } from './cached-for.js';
import { inTime } from './in-time.js';
import type { ThreadLoad } from './thread-load.js';

/** `core` uses the database and delivers webhooks. `http` serves requests. */
export type ThreadName = 'http' | 'core';
type ReadLoad = () => Promise<ThreadLoad>;

/** How long a read is shared, ms, so that all gauges use one read per scrape. */
const sharedForMs = 500;

const lagHelp = 'of the event-loop lag of each thread since the previous scrape.';
const gauges: ReadonlyArray<readonly [name: string, help: string, pick: (load: ThreadLoad) => number]> = [
  ['state_service_thread_event_loop_lag_p99_seconds', `99th percentile ${lagHelp}`, (it) => it.lagSeconds.p99],
  ['state_service_thread_event_loop_lag_max_seconds', `Maximum ${lagHelp}`, (it) => it.lagSeconds.max],
  ['state_service_thread_heap_used_bytes', 'JavaScript heap in use of each thread.', (it) => it.heapBytes.used],
  [
    'state_service_thread_heap_limit_bytes',
    'JavaScript heap of each thread at which the process ends.',
    (it) => it.heapBytes.limit,
  ],
];

/**
 * Creates the gauges for event-loop lag and heap. Returns a function that adds a thread. If the read of a thread fails,
 * the scrape omits the thread.
 */
export function addThreadGauges(registry: Registry): (thread: ThreadName, read: ReadLoad) => void {
  const threads: Array<{ readonly thread: ThreadName; readonly read: ReadLoad }> = [];
  for (const [name, help, pick] of gauges)
    new Gauge({
      name,
      help,
      labelNames: ['thread'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const { thread, read } of threads) {
          const load = await inTime(read()).catch(() => undefined);
          if (load) this.set({ thread }, pick(load));
        }
      },
    });
  return (thread, read) => void threads.push({ thread, read: cachedFor(sharedForMs, () => performance.now(), read) });
}
