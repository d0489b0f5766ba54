import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Schema } from '../src/contract/contract.js';

/** A delivery as received. */
export interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly bytes: Buffer;
  readonly event: Schema<'StateChange'>;
  readonly atMs: number;
}

/** A receiver of webhooks on loopback. */
export interface OpenReceiver {
  readonly url: string;
  close(): void;
}

/** Starts a receiver that passes each delivery to `take`, which responds. */
export async function openReceiver(
  take: (received: Received, response: ServerResponse) => void,
  host = '127.0.0.1',
): Promise<OpenReceiver> {
  const server = createServer(async (request, response) => {
    const atMs = Date.now();
    // A sender that is killed while it sends has sent no delivery.
    const parts = await request.toArray().catch(() => undefined);
    if (!parts) return;
    const bytes = Buffer.concat(parts);
    const { headers, url: path = '' } = request;
    const event = () => JSON.parse(bytes.toString()) as Received['event'];
    const received = { id: String(headers['webhook-id']), path, headers, bytes, atMs };
    take(Object.defineProperty(received, 'event', { get: event, enumerable: true }) as unknown as Received, response);
  }).listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/hooks`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
