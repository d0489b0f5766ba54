import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long requests under way may take to finish once the server closes. */
const graceMs = 8_000;

export interface RunningServer {
  readonly url: string;
  /** Waits for the requests that are under way, within bounds, then takes no more. */
  close(): Promise<void>;
}

/** Listens; rejects when the address cannot be had. Port 0 takes a free one. */
export async function startServer(
  listener: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const server = createServer(listener);
  const underWay = trackRequests(server);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: urlOf(server, host),
    async close() {
      await Promise.race([underWay(), sleep(graceMs, undefined, { ref: false })]);
      const closed = once(server, 'close');
      server.close();
      // By now every request that began in time has its answer; connections that still hang are cut off.
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Asked, it waits for the requests that are under way at that moment. */
function trackRequests(server: Server): () => Promise<unknown> {
  const underWay = new Set<ServerResponse>();
  server.on('request', (_request, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return () => Promise.all([...underWay].map((response) => once(response, 'close')));
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
