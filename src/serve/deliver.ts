import { startEvidence } from '../access-record/chain.js';
import { createMetrics } from '../observe/metrics.js';
import { createReadiness, createThreadLoadProbe } from '../observe/probes.js';
import { serveMetrics } from '../observe/server.js';
import { startAll } from '../observe/start.js';
import { openFoundation, type ProcessParts, startWorkerOn } from './foundation.js';

/** A shorter pause reduces the latency of an event. A longer pause reduces the number of queries of an idle process. */
const defaultPollMs = 200;

/** Starts webhook delivery without serving the API. Any number of such processes share one database. */
export async function startDelivery(parts: ProcessParts) {
  const closing = new AbortController();
  const { result: metricsUrl, close } = await startAll(async (keep) => {
    const foundation = await openFoundation(keep, parts, false);
    // Alerts verify consents. This process changes no row that has a code.
    startEvidence(foundation.store, foundation.secretsKeys, false, foundation.now);
    const metrics = createMetrics();
    metrics.watchDroppedLines(parts.droppedLines ?? (() => 0));
    metrics.watchDatabase(foundation.figures);
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
    /** The URL for Prometheus. Undefined when METRICS_PORT is not set. */
    metricsUrl,
    close(): Promise<void> {
      closing.abort();
      return close();
    },
  };
}
