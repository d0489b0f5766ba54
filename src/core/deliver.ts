import type { Logger } from 'pino';
import { type Closable, startAll } from '../closing.js';
import type { Config } from '../config.js';
import { createMetrics } from '../metrics/metrics.js';
import { serveMetrics } from '../metrics/server.js';
import { layFoundation, startWorkerOn } from './foundation.js';

export interface DeliveryParts {
  readonly config: Config;
  readonly log: Logger;
  /** The clock, epoch ms; tests make their own. */
  readonly now?: () => number;
}

/** Delivers webhooks without serving: a process that runs beside others on one database. */
export async function startDelivery({ config, log, now = Date.now }: DeliveryParts): Promise<Closable> {
  return startAll(async (keep) => {
    const foundation = await layFoundation(keep, config, now);
    const metrics = createMetrics();
    metrics.watchOutbox(foundation.outboxAgeSeconds);
    await serveMetrics(keep, metrics, config);
    const { observeAttempt } = metrics;
    keep(startWorkerOn(foundation, { config, log, observeAttempt }));
  });
}
