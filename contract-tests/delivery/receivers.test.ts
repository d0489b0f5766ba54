import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { listen } from '../../testkit/listen.js';
import { startReceiver } from '../../testkit/receiver.js';
import { selfSigned } from '../../testkit/self-signed.js';
import { startDelivering, startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { attempted, deliveriesOf, register } from '../../testkit/webhooks.js';

/** Sends a sample to the URL and returns the outcome of its first attempt. */
async function outcomeAt(url: string, env?: Record<string, string>) {
  const service = env ? await startTestService({ env: { WORKER: '1', ...env } }) : await startDelivering();
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

/** Starts a receiver that calls `handle` with each connection after its first data. */
async function startRaw(handle: (socket: Socket) => void): Promise<string> {
  return `${await listen(createServer((socket) => socket.once('data', () => handle(socket))))}/`;
}

test.each([200, 201, 202, 204, 299])('an attempt with status %s is successful', async (status) => {
  const receiver = await startReceiver();
  receiver.answer(status);
  expect(await outcomeAt(receiver.url)).toEqual(delivered(status));
});

test.each([300, 304, 400, 401, 404, 429, 500, 503, 599])('an attempt with status %s fails', async (status) => {
  const receiver = await startReceiver();
  receiver.answer(status);
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status }));
});

test.each([301, 302, 303, 307, 308])('a redirect with %s is a failed attempt and is not followed', async (status) => {
  const [receiver, elsewhere] = [await startReceiver(), await startReceiver()];
  receiver.answer((_, response) => void response.writeHead(status, { Location: elsewhere.url }).end());
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status }));
  expect(elsewhere.received).toEqual([]);
});

test('the first 1,024 bytes of a 10 MB response are stored', async ({ receiver }) => {
  receiver.answer((_, response) => void response.writeHead(500).end('x'.repeat(10_000_000)));
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status: 500, answer: 'x'.repeat(1024) }));
});

test('a response that never ends is read only up to the stored length', async ({ receiver }) => {
  receiver.answer((_, response) => {
    response.writeHead(200).write('y'.repeat(2000));
    // The response is never ended.
  });
  expect(await outcomeAt(receiver.url)).toEqual(delivered(200, 'y'.repeat(1024)));
});

test('a 2xx response that is cut off is a failed attempt', async () => {
  const url = await startRaw((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy()),
  );
  expect(await outcomeAt(url)).toEqual(failed({ status: 200, error: 'connection_failed', answer: 'half' }));
});

test.each(['100 Continue', '102 Processing', '103 Early Hints'])(
  'an unsolicited %s before the response does not fail the attempt',
  async (informational) => {
    const url = await startRaw((socket) =>
      socket.end(`HTTP/1.1 ${informational}\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n`),
    );
    expect(await outcomeAt(url)).toEqual(delivered(204));
  },
);

test('a keep-alive connection that the receiver closes does not fail the next attempt', async () => {
  let connections = 0;
  const url = await listen(
    createServer((socket) => {
      connections += 1;
      // Closes the connection when the second request arrives. A receiver does the same after its idle timeout.
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        socket.once('data', () => socket.resetAndDestroy());
      });
    }),
  );
  const service = await startDelivering();
  const { id } = await register(service, `${url}/`);
  const deliveries = deliveriesOf(service, id);
  for (let count = 1; count <= 2; count += 1) {
    await service.request(`/webhooks/${id}/test`, { method: 'POST' });
    await attempted(deliveries, count);
  }
  expect((await deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  expect(connections).toBe(2);
});

test('without WEBHOOK_KEEP_ANSWERS, a deployment that allows loopback stores no response body', async () => {
  const receiver = await startReceiver();
  receiver.answer((_, response) => void response.writeHead(500).end('of another local service'));
  expect(await outcomeAt(receiver.url, { WEBHOOK_KEEP_ANSWERS: '' })).toEqual(failed({ status: 500 }));
});

test('a response that is not text is stored with replacement characters', async ({ receiver }) => {
  receiver.answer((_, response) => void response.writeHead(400).end(Buffer.from([0x6e, 0x6f, 0xff, 0x00, 0xf0, 0x9f])));
  expect(await outcomeAt(receiver.url)).toEqual(failed({ status: 400, answer: 'no\ufffd\0\ufffd' }));
});

test('a reset connection, a missing response and an invalid response are failed attempts', async () => {
  const ways: Array<(socket: Socket) => void> = [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(),
    (socket) => socket.end('not HTTP at all\r\n\r\n'),
    (socket) => socket.end('HTTP/1.1 20'),
  ];
  for (const way of ways) expect(await outcomeAt(await startRaw(way))).toEqual(failed({ error: 'connection_failed' }));
});

test('a refused connection is a failed attempt', async () => {
  const server = createServer();
  const url = await listen(server);
  server.close();
  await once(server, 'close');
  expect(await outcomeAt(`${url}/`)).toEqual(failed({ error: 'connection_failed' }));
});

test('an untrusted certificate is a failed attempt, and no request is sent', async () => {
  let requests = 0;
  const server = createHttpsServer(selfSigned, (_request, response) => {
    requests += 1;
    response.end();
  });
  expect(await outcomeAt(`${(await listen(server)).replace('http:', 'https:')}/`)).toEqual(
    failed({ error: 'tls_failed' }),
  );
  expect(requests).toBe(0);
});

test('https to a receiver without TLS is a failed attempt', async ({ receiver }) => {
  const answer = await outcomeAt(receiver.url.replace('http:', 'https:'));
  expect(answer).toEqual(failed({ error: 'tls_failed' }));
  expect(receiver.received).toEqual([]);
});

test('an attempt without a complete response after 10 s fails, even after a partial response', async () => {
  const silent = await startRaw(() => undefined);
  const trickle = (socket: Socket, text: string) => {
    const letters = [...text];
    const timer = setInterval(() => socket.write(letters.shift() ?? '.'), 200);
    socket.on('close', () => clearInterval(timer));
  };
  const slowHead = await startRaw((socket) => trickle(socket, `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1000)}`));
  const endlessHints = await startRaw((socket) => trickle(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
  const slowBody = await startRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    trickle(socket, 'slow');
  });
  const stalledBody = await startRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'));
  const outcomes = await Promise.all(
    [silent, slowHead, endlessHints, slowBody, stalledBody].map((url) => outcomeAt(url)),
  );
  expect(outcomes).toEqual([
    failed({ error: 'timeout' }),
    failed({ error: 'timeout' }),
    failed({ error: 'timeout' }),
    failed({ status: 200, error: 'timeout', answer: expect.stringMatching(/^slow\.+$/) }),
    failed({ status: 200, error: 'timeout' }),
  ]);
});
