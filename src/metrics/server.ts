import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '../listen.js';
import type { Metrics } from './metrics.js';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves GET /metrics on a port of its own, which needs no key and is not for the outside. */
export async function startMetricsServer(metrics: Metrics, host: string, port: number): Promise<MetricsServer> {
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
