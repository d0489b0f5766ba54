import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Schema } from '../../../src/contract.js';

/** Path of the URL that never responds. */
export const hangingPath = '/hang';

/** A healthy receiver that records the first arrival of each state change. */
export interface NeighborReceiver {
  readonly port: number;
  /** Arrival time, as a value of `performance.now`, by session and timestamp. */
  readonly arrivedAt: ReadonlyMap<string, number>;
  close(): void;
}

export async function startNeighborReceiver(): Promise<NeighborReceiver> {
  const arrivedAt = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const at = performance.now();
    if (request.url?.startsWith(hangingPath)) return void request.resume();
    const body = await request.toArray().catch(() => undefined);
    if (!body) return;
    const { session_id, timestamp }: Schema<'StateChange'> = JSON.parse(Buffer.concat(body).toString());
    const key = changeKey(session_id, timestamp);
    if (!arrivedAt.has(key)) arrivedAt.set(key, at);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    arrivedAt,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function changeKey(sessionId: string, timestamp: string): string {
  return `${sessionId} ${timestamp}`;
}
