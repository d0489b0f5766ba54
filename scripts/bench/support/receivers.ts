import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receivers {
  /** One URL per receiver. A receiver is a host and port. */
  readonly urls: readonly string[];
  /** Number of attempts per delivery, by webhook-id. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Returns the number of attempts that arrived while another attempt of the same delivery was in progress. */
  overlaps(): number;
  /** Resolves when this many deliveries have arrived. Rejects when no delivery arrives for a long time. */
  until(deliveries: number): Promise<void>;
  close(): void;
}

/** Time before a receiver responds, ms. Long enough to detect an overlapping second attempt. */
const answerAfterMs = 5;
const silenceMs = 60_000;
const lookMs = 20;

/** Starts receivers that accept every delivery, on loopback addresses starting at 127.0.0.1. */
export async function startReceivers(count: number, onDelivery: () => void): Promise<Receivers> {
  const attempts = new Map<string, number>();
  const inFlight = new Map<string, number>();
  let overlaps = 0;
  let lastMs = Date.now();
  const servers = Array.from({ length: count }, (_, index) => {
    const server = createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      const others = inFlight.get(id) ?? 0;
      if (others > 0) overlaps += 1;
      inFlight.set(id, others + 1);
      if (!attempts.has(id)) onDelivery();
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      lastMs = Date.now();
      request.resume();
      setTimeout(() => {
        const left = (inFlight.get(id) ?? 0) - 1;
        if (left > 0) inFlight.set(id, left);
        else inFlight.delete(id);
        response.writeHead(204).end();
      }, answerAfterMs);
    });
    return server.listen(0, `127.0.0.${index + 1}`);
  });
  await Promise.all(servers.map((server) => once(server, 'listening')));
  return {
    urls: servers.map((server) => {
      const { address, port } = server.address() as AddressInfo;
      return `http://${address}:${port}/hooks`;
    }),
    attempts,
    overlaps: () => overlaps,
    async until(deliveries) {
      while (attempts.size < deliveries) {
        if (Date.now() > lastMs + silenceMs)
          throw new Error(`only ${attempts.size} of ${deliveries} deliveries arrived`);
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
    },
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
