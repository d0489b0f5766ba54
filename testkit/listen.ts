import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server on a free loopback port until the test ends. Returns its URL without a path. */
export async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  // The error of a broken connection is no error of the test.
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
