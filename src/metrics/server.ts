import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Closable, Keep } from '../lifecycle/closing.js';
import type { Config } from '../config/config.js';
import { listen } from '../net/listen.js';
import { starting } from '../lifecycle/start-error.js';
import type { Metrics } from './metrics.js';

interface MetricsServer extends Closable {
  readonly url: string;
}

/** Serves GET /metrics if METRICS_PORT is set. Resolves with the URL, or undefined. */
export async function serveMetrics(
  keep: Keep,
  metrics: Metrics,
  { host, metricsPort }: Config,
): Promise<string | undefined> {
  if (metricsPort === undefined) return undefined;
  // Called only here, because this metric samples the event loop continuously.
  metrics.watchProcess();
  return keep(await starting('METRICS_PORT', () => startMetricsServer(metrics, host, metricsPort))).url;
}

/** Starts a server on a separate port without authentication. This port must not be reachable from outside. */
async function startMetricsServer(metrics: Metrics, host: string, port: number): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    response.setHeader('Content-Type', metrics.contentType);
    response.end(await metrics.text());
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
