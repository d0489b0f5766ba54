import { type Closable, startAll } from '../lifecycle/closing.js';
import { createMetrics } from '../metrics/metrics.js';
import { serveMetrics } from '../metrics/server.js';
import { createThreadLoad } from '../metrics/thread-load.js';
import { openFoundation, type ProcessParts, startWorkerOn } from './foundation.js';

export interface DeliveryParts extends ProcessParts {
  /** Returns how many log lines were dropped so far. */
  readonly droppedLines?: () => number;
}

/** A shorter pause reduces the latency of an event. A longer pause reduces the number of queries of an idle process. */
const defaultPollMs = 200;

/** Starts webhook delivery without serving HTTP. Any number of such processes share one database. */
export async function startDelivery({ droppedLines = () => 0, ...parts }: DeliveryParts): Promise<Closable> {
  return startAll(async (keep) => {
    const foundation = await openFoundation(keep, parts);
    const metrics = createMetrics();
    metrics.watchDroppedLines(droppedLines);
    metrics.watchOutbox(foundation.outboxAgeSeconds);
    metrics.watchDueAge(foundation.dueAgeSeconds);
    metrics.watchDeliveries(foundation.deliveryCounts);
    metrics.watchClock(foundation.clockAheadSeconds);
    const threadLoad = keep(createThreadLoad());
    metrics.watchThread('core', async () => threadLoad.read());
    await serveMetrics(keep, metrics, parts.config);
    const worker = keep(startWorkerOn(foundation, parts, metrics.observeAttempt, defaultPollMs));
    metrics.watchWorker(async () => worker.load());
  });
}
