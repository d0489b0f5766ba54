import { setMaxListeners } from 'node:events';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../testkit/listen.js';
import { createDialer } from './dial.js';
import { createResolveName } from './resolve-name.js';
import { type AttemptOutcome, createAttempt } from './send.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const receivers = 80;

/** Starts hosts that accept a connection, send `head` and then stall. */
async function startHanging(head: string): Promise<string> {
  return `${await listen(createServer((socket) => socket.once('data', () => socket.write(head))))}/`;
}

test.each([
  ['no response', ''],
  ['incomplete headers', 'HTTP/1.1 200 OK\r\n'],
  ['headers without a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'],
])('every attempt at 80 receivers that send %s ends at its timeout, also under garbage collection', async (_, head) => {
  const { dial, close } = createDialer({ allowHttp: true, allowLoopback: true }, createResolveName());
  onTestFinished(close);
  const attempt = createAttempt({ dial, keepsResponses: true, timeoutMs: 1_000 });
  const url = await startHanging(head);
  // Never aborted, like the signal of a worker that keeps running.
  const closing = new AbortController();
  setMaxListeners(receivers, closing.signal);
  const collecting = setInterval(collectGarbage, 250);
  onTestFinished(() => clearInterval(collecting));
  const outcomes: AttemptOutcome[] = await Promise.all(
    Array.from({ length: receivers }, () => attempt({ accountId: 'a', url, body: '{}', headers: {} }, closing.signal)),
  );
  expect(outcomes.map(({ error }) => error)).toEqual(Array(receivers).fill('timeout'));
});

test('an attempt that waits for a connection ends when the worker closes', async () => {
  const { dial, close } = createDialer({ allowHttp: true, allowLoopback: true }, createResolveName());
  onTestFinished(close);
  const attempt = createAttempt({ dial, keepsResponses: true, timeoutMs: 60_000 });
  const closing = new AbortController();
  const ending = attempt({ accountId: 'a', url: await startHanging(''), body: '{}', headers: {} }, closing.signal);
  setTimeout(() => closing.abort(), 50);
  expect(await ending).toMatchObject({ error: expect.any(String) });
});
