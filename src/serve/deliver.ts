import { createMetrics } from '../observe/metrics.js';
import { createReadiness, createThreadLoadProbe } from '../observe/probes.js';
import { serveMetrics } from '../observe/server.js';
import { type Closable, startAll } from '../observe/start.js';
import { openFoundation, type ProcessParts, startWorkerOn } from './foundation.js';

export interface DeliveryParts extends ProcessParts {
  /** Returns how many log lines were dropped so far. */
  readonly droppedLines?: () => number;
}

/** A shorter pause reduces the latency of an event. A longer pause reduces the number of queries of an idle process. */
const defaultPollMs = 200;

export interface DeliveryProcess extends Closable {
  /** The URL for Prometheus. Undefined when METRICS_PORT is not set. */
  readonly metricsUrl: string | undefined;
}

/** Starts webhook delivery without serving the API. Any number of such processes share one database. */
export async function startDelivery(parts: DeliveryParts): Promise<DeliveryProcess> {
  const closing = new AbortController();
  const { result: metricsUrl, close } = await startAll(async (keep) => {
    const foundation = await openFoundation(keep, parts);
    const metrics = createMetrics();
    metrics.watchDroppedLines(parts.droppedLines ?? (() => 0));
    metrics.watchDatabase(foundation);
    const threadLoad = keep(createThreadLoadProbe());
    metrics.watchThread('core', async () => threadLoad.read());
    const { checkDatabase } = foundation;
    const readiness = createReadiness({ checkDatabase, isLeaving: () => closing.signal.aborted });
    const url = await serveMetrics(keep, metrics, readiness, parts.config);
    const worker = keep(startWorkerOn(foundation, parts, metrics, defaultPollMs));
    metrics.watchWorker(async () => worker.load());
    return url;
  });
  return {
    metricsUrl,
    close() {
      closing.abort();
      return close();
    },
  };
}
