import type { Logger } from 'pino';
import { type Closable, startAll } from '../lifecycle/closing.js';
import type { Config } from '../config/config.js';
import { createMetrics } from '../metrics/metrics.js';
import { createThreadLoad } from '../metrics/thread-load.js';
import { serveMetrics } from '../metrics/server.js';
import { openFoundation, startWorkerOn } from './foundation.js';

export interface DeliveryParts {
  readonly config: Config;
  readonly log: Logger;
  /** The clock of this process, epoch ms. Tests replace it. */
  readonly now?: () => number;
  /** See `CoreParts`. */
  readonly databaseNow?: () => number;
  /** Returns how many log lines were dropped so far. */
  readonly droppedLines?: () => number;
  /** Maximum pause of the worker between two queries, ms. Events of other processes do not end the pause early. */
  readonly pollMs?: number;
}

/** Trades the latency of an event against the number of queries of an idle process. */
const defaultPollMs = 200;

/** Starts webhook delivery without serving HTTP. Any number of such processes share one database. */
export async function startDelivery({
  config,
  log,
  now = Date.now,
  databaseNow,
  droppedLines = () => 0,
  pollMs = defaultPollMs,
}: DeliveryParts): Promise<Closable> {
  return startAll(async (keep) => {
    const foundation = await openFoundation(keep, config, { now, databaseNow, log });
    const metrics = createMetrics();
    metrics.watchDroppedLines(droppedLines);
    metrics.watchOutbox(foundation.outboxAgeSeconds);
    metrics.watchDueAge(foundation.dueAgeSeconds);
    metrics.watchDeliveries(foundation.deliveryCounts);
    metrics.watchClock(async () => foundation.clock.aheadMs() / 1000);
    const threadLoad = keep(createThreadLoad());
    metrics.watchThread('core', async () => threadLoad.read());
    await serveMetrics(keep, metrics, config);
    const { observeAttempt } = metrics;
    const worker = keep(startWorkerOn(foundation, { config, log, observeAttempt, pollMs }));
    metrics.watchWorker(async () => worker.load());
  });
}
