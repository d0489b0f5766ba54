import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy between the service and its database. Tests use it to interrupt the connection. */
export interface Proxy {
  readonly port: number;
  /** Forwards connections. This is the initial mode. */
  restore(): void;
  /** Cuts all connections and closes new ones immediately, like a restarting server. */
  cut(): void;
  /** Keeps connections open but forwards no data, like a network that drops packets. */
  hang(): void;
}

export async function startProxy(targetHost: string, targetPort: number): Promise<Proxy> {
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
  onTestFinished(() => {
    server.close();
    destroyAll();
  });
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
  };
}
