import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** `lost`: the service processes the request, and the connection breaks before the response. */
export type Fault = 'bad gateway' | 'dropped' | 'lost' | 'slow' | 'rate limited';

/** Starts a proxy in front of the service. Each request gets the next fault, and is forwarded when none is left. */
export async function startFaultyProxy(target: string, faults: Fault[]): Promise<string> {
  const server = createServer((request, response) => void pass(target, faults.shift(), request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function pass(
  target: string,
  fault: Fault | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  if (fault === 'dropped') return void request.socket.destroy();
  // The client gives up first.
  if (fault === 'slow') return;
  if (fault === 'bad gateway') return void response.writeHead(502).end('<html>Bad Gateway</html>');
  if (fault === 'rate limited') return void response.writeHead(429, { 'Retry-After': '1' }).end('{}');
  const { method = 'GET', url = '/', headers } = request;
  const sent = { 'X-Service-Key': String(headers['x-service-key']), 'Content-Type': 'application/json' };
  const answer = await fetch(target + url, { method, headers: sent, ...(method !== 'GET' && { body }) });
  const text = await answer.text();
  if (fault === 'lost') return void request.socket.destroy();
  response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' }).end(text);
}
