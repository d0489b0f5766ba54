import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between the service and its database. The proxy can interrupt the connection. */
export interface Proxy {
  readonly port: number;
  /** Forwards connections. This is the initial mode. */
  restore(): void;
  /** Cuts all connections and closes new ones immediately, like a restarting server. */
  cut(): void;
  /** Forwards neither data nor closed connections, like a network that drops packets. */
  hang(): void;
}

export async function openProxy(targetHost: string, targetPort: number): Promise<Proxy & { close(): void }> {
  let mode: 'open' | 'cut' | 'hang' = 'open';
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    if (mode === 'cut') return client.destroy();
    const target = connect(targetPort, targetHost);
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [target, client]] as const) {
      from.on('data', (data) => void (mode === 'open' && to.write(data)));
      from.on('error', () => undefined);
      from.on('close', () => {
        if (mode === 'hang') return;
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    restore() {
      mode = 'open';
    },
    cut() {
      mode = 'cut';
      destroyAll();
    },
    hang() {
      mode = 'hang';
    },
    close() {
      server.close();
      destroyAll();
    },
  };
}
