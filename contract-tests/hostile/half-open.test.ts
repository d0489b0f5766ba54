import { once } from 'node:events';
import express from 'express';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../src/http/server.js';
import { openSocket } from '../../testkit/open-socket.js';
import { startTestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';

const connectionsMax = 20;

test.each([
  ['that send nothing', ''],
  ['that send incomplete headers', 'GET /healthz HTTP/1.1\r\nHos'],
  ['that send garbage', 'GARBAGE\r\n\r\n'],
])('connections %s and do not respond to a FIN are closed', async (_, bytes) => {
  const service = await startTestService({ env: { MAX_CONNECTIONS: String(connectionsMax) }, requestMs: 2_000 });
  const sockets = await Promise.all(Array.from({ length: connectionsMax }, () => openHalf(service.url, bytes)));
  await until('a place is free', async () =>
    fetch(`${service.url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  // Connections whose time starts later are closed by a later check.
  await until('each connection has a response', () => sockets.every(({ received }) => received() !== ''));
  for (const { received } of sockets) expect(received()).toMatch(/^HTTP\/1\.1 4(00|08) /);
});

test('a client that does not read its response is disconnected', async () => {
  const app = express();
  let isClosed = false;
  app.get('/', (_request, response) => {
    response.on('close', () => (isClosed = true)).end(Buffer.alloc(64 * 1_048_576));
  });
  const parts = { host: '127.0.0.1', port: 0, connectionsMax: 10, log: pino({ level: 'silent' }), idleMs: 200 };
  const server = await startServer(app, parts);
  onTestFinished(server.close);
  await openHalf(server.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', false);
  await until('the connection is closed', () => isClosed);
});

/** Opens a connection that does not respond to a FIN. */
async function openHalf(url: string, bytes: string, isReading = true) {
  const opened = openSocket(url, { allowHalfOpen: true });
  if (!isReading) opened.socket.pause();
  await once(opened.socket, 'connect');
  if (bytes) opened.socket.write(bytes);
  return opened;
}
