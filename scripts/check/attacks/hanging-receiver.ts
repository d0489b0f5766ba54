import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Receivers on loopback addresses that accept connections and never respond. */
export interface HangingReceivers {
  /** One URL per host and port. */
  readonly urls: readonly string[];
  readonly accepted: () => number;
  /** Returns the number of connections that have been open for longer than `ms`. */
  openLongerThan(ms: number): number;
  close(): void;
}

export async function startHangingReceivers(hosts: number, portsPerHost: number): Promise<HangingReceivers> {
  const openedAt = new Map<object, number>();
  const sockets = new Set<{ destroy(): void }>();
  let accepted = 0;
  const servers = Array.from({ length: hosts * portsPerHost }, (_, index) => {
    const server = createServer((socket) => {
      accepted += 1;
      sockets.add(socket);
      // Measured from the first bytes of the request, because the service keeps idle connections open.
      socket.once('data', () => openedAt.set(socket, performance.now()));
      socket.on('data', () => undefined);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        openedAt.delete(socket);
        sockets.delete(socket);
      });
    });
    return server.listen(0, `127.0.1.${1 + Math.floor(index / portsPerHost)}`);
  });
  await Promise.all(servers.map((server) => once(server, 'listening')));
  return {
    urls: servers.map((server) => {
      const { address, port } = server.address() as AddressInfo;
      return `http://${address}:${port}/hooks`;
    }),
    accepted: () => accepted,
    openLongerThan: (ms) => [...openedAt.values()].filter((at) => performance.now() - at > ms).length,
    close() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
