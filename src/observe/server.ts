import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.js';
import type { Metrics } from './metrics.js';
import type { ReadinessStatus } from './probes.js';
import { type Closable, type Keep, listen, runStartStep } from './start.js';

/**
 * Serves GET /metrics, /healthz and /readyz if METRICS_PORT is set. Resolves with the URL of the metrics, or undefined.
 */
export async function serveMetrics(
  keep: Keep,
  metrics: Metrics,
  checkReadiness: () => Promise<ReadinessStatus>,
  { host, metricsPort, backupStatusFile }: Config,
): Promise<string | undefined> {
  if (metricsPort === undefined) return undefined;
  metrics.watchReadiness(checkReadiness);
  if (backupStatusFile !== undefined) metrics.watchBackup(backupStatusFile);
  // Called only here, because this metric samples the event loop continuously.
  metrics.watchProcess();
  return keep(await runStartStep('METRICS_PORT', () => startMetricsServer(metrics, checkReadiness, host, metricsPort)))
    .url;
}

/** Starts a server on a separate port without authentication. This port must not be reachable from outside. */
async function startMetricsServer(
  metrics: Metrics,
  checkReadiness: () => Promise<ReadinessStatus>,
  host: string,
  port: number,
): Promise<Closable & { readonly url: string }> {
  const pages: Readonly<Record<string, (response: ServerResponse) => Promise<unknown>>> = {
    async '/metrics'(response) {
      response.setHeader('Content-Type', metrics.contentType);
      response.end(await metrics.text());
    },
    '/healthz': async (response) => sendStatus(response, 200, { status: 'ok' }),
    async '/readyz'(response) {
      const { cause, alertsLagSeconds: alerts_lag_seconds } = await checkReadiness();
      if (cause === undefined) sendStatus(response, 200, { status: 'ready', alerts_lag_seconds });
      else sendStatus(response, 503, { status: 'unavailable', cause, alerts_lag_seconds });
    },
  };
  const server = createServer(async ({ method, url = '' }, response) => {
    const page = method === 'GET' && Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (!page) return void response.writeHead(404).end();
    await page(response);
  });
  const url = await listen(server, host, port);
  return {
    url: `${url}/metrics`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendStatus(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
