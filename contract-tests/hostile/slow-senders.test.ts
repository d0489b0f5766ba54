import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { openSocket } from '../../testkit/open-socket.js';
import { startProcessWithKey } from '../process/started.js';

const sockets = 1_000;
const trickleMs = 500;
const asked = 40;

test('a thousand slow senders do not delay other clients and are disconnected', async () => {
  const database = await temporaryDatabase();
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'warn' };
  const { service, key } = await startProcessWithKey(env);
  const head = `POST /v1/ingest HTTP/1.1\r\nHost: any\r\nX-Service-Key: ${key}\r\nContent-Length: 4000\r\n`;
  const wholeHead = `${head}Content-Type: application/json\r\n\r\n`;
  const starts = Array.from({ length: sockets }, (_, index) => (index % 2 === 0 ? head : wholeHead));
  const senders = await Promise.all(starts.map((start) => openSender(service.url, start)));
  const statuses = [];
  for (let index = 0; index < asked; index += 1) statuses.push((await fetch(`${service.url}/readyz`)).status);
  expect(statuses).toEqual(new Array(asked).fill(200));
  const answers = await Promise.all(senders.map(({ closed }) => closed));
  // Excludes senders that did not read within the grace period. Their connection is reset, and they may lose the
  // response.
  const received = answers.filter((answer) => answer !== '');
  console.log(`${sockets} slow senders: all closed, ${received.length} of them with a 408`);
  expect(received.length).toBeGreaterThan(0);
  for (const answer of received) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect((await service.stop('SIGTERM')).code).toBe(0);
});

/** Sends one byte at a time, in the headers or in the body. Never completes the request. */
async function openSender(url: string, start: string): Promise<{ readonly closed: Promise<string> }> {
  const { socket, received } = openSocket(url);
  await once(socket, 'connect');
  socket.write(start);
  void trickle(socket);
  // Does not use `once`, because it would reject after a reset.
  return { closed: new Promise((resolve) => socket.on('close', () => resolve(received()))) };
}

async function trickle(socket: Socket): Promise<void> {
  for (; !socket.destroyed; await sleep(trickleMs)) socket.write('x');
}
