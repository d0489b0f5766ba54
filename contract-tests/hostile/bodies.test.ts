import { once } from 'node:events';
import { openSocket } from '../../testkit/open-socket.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const megabyte = 1_048_576;
const clients = 6;
const endless = 50;
const asked = 200;

test.each([
  ['declared', `Content-Length: ${10 * megabyte}\r\n`],
  ['chunked', 'Transfer-Encoding: chunked\r\n'],
])('a client that sends 10 MB, %s, receives the 413', async (kind, framing) => {
  const service = await startTestService();
  const head = `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nX-Service-Key: ${service.key}\r\nContent-Type: application/json\r\n`;
  const results = await Promise.all(
    Array.from({ length: clients }, () => sendLarge(service, `${head}${framing}\r\n`, kind === 'chunked')),
  );
  for (const { answer, error } of results) {
    expect(error).toBeUndefined();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"body_too_large"');
  }
});

test('a large body without a key gets a 401', async ({ service }) => {
  const head = `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: ${10 * megabyte}\r\n\r\n`;
  const { answer, error } = await sendLarge(service, head, false);
  expect([answer.slice(0, 13), error]).toEqual(['HTTP/1.1 401 ', undefined]);
});

test('an unread short body does not close the connection', async ({ service }) => {
  const { socket, received } = openSocket(service.url);
  for (let sent = 1; sent <= 3; sent += 1) {
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello');
    await until('the next response', () => (received().match(/"status":"ok"/g) ?? []).length === sent);
  }
  socket.destroy();
});

test('endless bodies are cut off, and other requests are served meanwhile', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: String(endless) } });
  const senders = Array.from({ length: endless }, () => sendEndless(service));
  const durationsMs: number[] = [];
  for (let index = 0; index < asked; index += 1) {
    const startedAtMs = performance.now();
    expect((await service.request('/v1/state?session_id=none')).status).toBe(404);
    durationsMs.push(performance.now() - startedAtMs);
  }
  const sent = await Promise.all(senders);
  durationsMs.sort((a, b) => a - b);
  const [p50, p99] = [asked / 2, asked * 0.99].map((index) => Math.round(durationsMs[index] ?? 0));
  console.log(`${endless} endless bodies: others p50 ${p50} ms, p99 ${p99} ms; most sent ${Math.max(...sent)} bytes`);
  // 32 MB is the limit for draining plus the socket buffers of both sides.
  for (const bytes of sent) expect(bytes).toBeLessThan(32 * megabyte);
});

test('slowly sent bodies do not use the capacity of other requests', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: '2' } });
  const slow = Array.from({ length: 20 }, () => {
    const { socket, received } = openSocket(service.url);
    socket.write('POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\nx');
    return { socket, received };
  });
  await until('all are answered', () => slow.every(({ received }) => received().startsWith('HTTP/1.1 401')));
  expect((await service.request('/v1/state?session_id=none')).status).toBe(404);
  for (const { socket } of slow) socket.destroy();
});

/** Sends all 10 MB before it reads the response, as simple clients do. */
async function sendLarge(service: TestService, head: string, isChunked: boolean) {
  const { socket, received, error } = openSocket(service.url);
  socket.pause();
  socket.write(head);
  const piece = Buffer.alloc(megabyte, ' ');
  for (let sent = 0; sent < 10 && !error(); sent += 1) {
    const bytes = isChunked ? Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]) : piece;
    await new Promise((resolve) => socket.write(bytes, resolve));
  }
  if (isChunked) socket.write('0\r\n\r\n');
  socket.resume();
  if (!socket.closed) await once(socket, 'close').catch(() => undefined);
  return { answer: received(), error: error() };
}

/** Sends until the service closes the connection. Resolves with the number of bytes sent. */
async function sendEndless(service: TestService): Promise<number> {
  const { socket, error } = openSocket(service.url);
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);
  while (!socket.destroyed && !error()) await new Promise((resolve) => socket.write(chunk, resolve));
  return socket.bytesWritten;
}
