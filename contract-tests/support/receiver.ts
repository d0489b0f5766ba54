import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Schema } from '../../src/contract.js';

/** A delivery as received. */
export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly bytes: Buffer;
  readonly event: Schema<'StateChange'>;
  readonly atMs: number;
}

/**
 * Responds to a delivery. `count` is the number of times that this delivery has arrived so far, including this time.
 */
export type Answering = (received: Received, response: ServerResponse, count: number) => void;

export interface Receiver {
  readonly url: string;
  /** All deliveries, in order of arrival. */
  readonly received: readonly Received[];
  /** Sets the response to later deliveries. Initially, the response is 204. */
  answer(answering: Answering | number): void;
  /** Resolves once `count` deliveries have arrived. */
  until(count: number): Promise<readonly Received[]>;
}

/** Starts a real receiver on a free loopback port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answering: Answering = with204;
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    const id = String(request.headers['webhook-id']);
    const one = { id, headers: request.headers, bytes, event: JSON.parse(bytes.toString()), atMs: Date.now() };
    received.push(one);
    server.emit('delivery');
    answering(one, response, received.filter((it) => it.id === id).length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer(next) {
      answering = typeof next === 'number' ? (_, response) => void response.writeHead(next).end() : next;
    },
    async until(count) {
      while (received.length < count) await once(server, 'delivery');
      return received;
    },
  };
}

function with204(_: Received, response: ServerResponse): void {
  response.writeHead(204).end();
}
