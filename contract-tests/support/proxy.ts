import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between the service and its database, so that a test can take the database away and give it back. */
export interface Proxy {
  readonly port: number;
  /** Lets connections through, as at first. */
  restore(): void;
  /** Cuts all connections and refuses new ones by closing them at once, like a server that restarts. */
  cut(): void;
  /** Keeps connections open and lets nothing through, like a network that swallows packets. */
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
