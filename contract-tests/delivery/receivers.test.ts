import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../support/receiver.js';
import { startDelivering } from '../support/service.js';
import { attempted, deliveriesOf, register } from '../support/webhooks.js';

/** Sends a sample to the URL and returns what came of the first attempt at it. */
async function outcomeAt(url: string) {
  const service = await startDelivering();
  const { id } = await register(service, url);
  const deliveries = deliveriesOf(service, id);
  await service.request(`/webhooks/${id}/test`, { method: 'POST' });
  await attempted(deliveries, 1);
  const [delivery] = await deliveries();
  const { timestamp: _, duration_ms: __, ...outcome } = delivery?.attempts[0] ?? {};
  return { status: delivery?.status, outcome };
}

const delivered = (status: number, answer?: string) => ({
  status: 'delivered',
  outcome: { status, ...(answer !== undefined && { answer }) },
});
const failed = (outcome: object) => ({ status: 'due', outcome });

async function listen<S extends Server>(server: S): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A receiver that does as it likes with each connection that has sent something. */
async function startRaw(handle: (socket: Socket) => void): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer((socket) => socket.once('data', () => handle(socket))))}/`;
}

test.each([200, 201, 202, 204, 299])('%s is a success', async (status) => {
  const receiver = await startReceiver();
  receiver.answer(status);
  expect(await outcomeAt(receiver.url)).toEqual(delivered(status));
});

test.each([300, 304, 400, 401, 404, 429, 500, 503, 599])('%s is a failed attempt', async (status) => {
  const receiver = await startReceiver();
  receiver.answer(status);
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status }));
});

test.each([301, 302, 303, 307, 308])('a redirect with %s is a failed attempt and not followed', async (status) => {
  const [receiver, elsewhere] = [await startReceiver(), await startReceiver()];
  receiver.answer((_, response) => void response.writeHead(status, { Location: elsewhere.url }).end());
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status }));
  expect(elsewhere.received).toEqual([]);
});

test('of an answer of 10 MB the first 1,024 bytes are kept', async () => {
  const receiver = await startReceiver();
  receiver.answer((_, response) => void response.writeHead(500).end('x'.repeat(10_000_000)));
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status: 500, answer: 'x'.repeat(1024) }));
});

test('an answer that never ends is read no further than it is kept', async () => {
  const receiver = await startReceiver();
  receiver.answer((_, response) => {
    response.writeHead(200).write('y'.repeat(2000));
    // Never ended.
  });
  expect(await outcomeAt(receiver.url)).toEqual(delivered(200, 'y'.repeat(1024)));
});

test('an answer that breaks off counts by its status', async () => {
  const url = await startRaw((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy()),
  );
  expect(await outcomeAt(url)).toMatchObject({ status: 'delivered', outcome: { status: 200 } });
});

test('an answer that is no text is kept as far as it can be read', async () => {
  const receiver = await startReceiver();
  receiver.answer((_, response) => void response.writeHead(400).end(Buffer.from([0x6e, 0x6f, 0xff, 0x00, 0xf0, 0x9f])));
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status: 400, answer: 'no\ufffd\0\ufffd' }));
});

test('a connection that is reset, closed without a word or answered with nonsense is a failed attempt', async () => {
  const ways: Array<(socket: Socket) => void> = [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(),
    (socket) => socket.end('not HTTP at all\r\n\r\n'),
    (socket) => socket.end('HTTP/1.1 20'),
  ];
  for (const way of ways) expect(await outcomeAt(await startRaw(way))).toEqual(failed({ error: 'connection_failed' }));
});

test('a receiver that listens no more is a failed attempt', async () => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  expect(await outcomeAt(`http://127.0.0.1:${port}/`)).toEqual(failed({ error: 'connection_failed' }));
});

test('a certificate that nobody vouches for is a failed attempt, and nothing is sent', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  let requests = 0;
  const server = createHttpsServer({ key, cert }, (_request, response) => {
    requests += 1;
    response.end();
  });
  expect(await outcomeAt(`https://127.0.0.1:${await listen(server)}/`)).toEqual(failed({ error: 'tls_failed' }));
  expect(requests).toBe(0);
});

test('https to a receiver that speaks no TLS is a failed attempt', async () => {
  const receiver = await startReceiver();
  const answer = await outcomeAt(receiver.url.replace('http:', 'https:'));
  expect(answer).toEqual(failed({ error: 'tls_failed' }));
  expect(receiver.received).toEqual([]);
});

test('whoever answers nothing, or no whole head, within 10 s has had its attempt; a slow body counts by its status', async () => {
  const silent = await startRaw(() => undefined);
  const trickle = (socket: Socket, text: string) => {
    const letters = [...text];
    const timer = setInterval(() => socket.write(letters.shift() ?? '.'), 200);
    socket.on('close', () => clearInterval(timer));
  };
  const slowHead = await startRaw((socket) => trickle(socket, `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1000)}`));
  const slowBody = await startRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    trickle(socket, 'slow');
  });
  const outcomes = await Promise.all([silent, slowHead, slowBody].map(outcomeAt));
  expect(outcomes.slice(0, 2)).toEqual([failed({ error: 'timeout' }), failed({ error: 'timeout' })]);
  expect(outcomes[2]).toMatchObject({
    status: 'delivered',
    outcome: { status: 200, answer: expect.stringMatching(/^slow\.+$/) },
  });
});
