import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Number of unexpected responses after which counting stops, to limit the time for a service that does not respond. */
const unlikeMax = 3;

/** Opens a connection that never reads and stays open when the service closes its side. */
export async function openSilentSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  // The service is expected to reset these connections.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends the text. Closes the connection as soon as the kernel has the bytes, without reading a response. */
export async function sendAndCut(url: string, text: string): Promise<void> {
  const socket = await openSilentSocket(url);
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(text, () => socket.destroy());
  });
}

/** Resolves with the status of a GET request on a new connection. 0 if there is no response. */
export async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url, { headers, agent: false, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.end();
  });
}

/**
 * Returns how many of `count` requests do not get `status`. Each request uses a new connection. Stops counting at
 * three.
 */
export async function countUnlike(status: number, count: number, ask: () => Promise<number>): Promise<number> {
  let unlike = 0;
  for (let index = 0; index < count && unlike < unlikeMax; index += 1) if ((await ask()) !== status) unlike += 1;
  return unlike;
}
