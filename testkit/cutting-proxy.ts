import { connect, createServer } from 'node:net';
import { listen } from './listen.js';

/** Returns the number of bytes after which the connection breaks. Undefined if it does not, or not yet. */
export type Cut = (received: string) => number | undefined;

/** Breaks a connection after this number of bytes. */
export const afterBytes =
  (count: number): Cut =>
  (received) =>
    received.length >= count ? count : undefined;

/** Breaks a connection after a text. */
export const afterText =
  (text: string): Cut =>
  (received) =>
    received.includes(text) ? received.indexOf(text) + text.length : undefined;

export interface CuttingProxy {
  readonly url: string;
  /** The start of each request, e.g. `GET /v1/export?format=csv`. */
  readonly requests: string[];
}

/**
 * Starts a proxy that forwards bytes and destroys the connections of the client, one cut per connection. Without cuts
 * left, it forwards everything. With `stall`, connections stay open, but nothing follows the cut.
 */
export async function startCuttingProxy(
  target: string,
  cuts: Cut[],
  ending: 'destroy' | 'stall' = 'destroy',
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const requests: string[] = [];
  const server = createServer((client) => {
    const cut = cuts.shift();
    const service = connect(Number(port), hostname);
    let received = '';
    const end = () => [client, service].forEach((it) => it.destroy());
    for (const socket of [client, service]) socket.on('error', end).on('close', end);
    client.on('data', (data) => {
      requests.push(data.toString().split(' HTTP')[0] ?? '');
      service.write(data);
    });
    service.on('data', (data) => {
      const before = received.length;
      received += data.toString('latin1');
      const at = cut?.(received);
      if (at === undefined) return void client.write(data);
      client.write(data.subarray(0, Math.max(0, at - before)), ending === 'destroy' ? end : undefined);
    });
  });
  return { url: await listen(server), requests };
}
