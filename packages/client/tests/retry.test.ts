import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../testkit/listen.js';
import { retrying, sleep } from '../src/retry.js';

type Outcome = Response | Error;

const busy = (status: number, retryAfter: string) =>
  new Response('{}', { status, headers: { 'Retry-After': retryAfter } });
const lost = () => new TypeError('fetch failed');
const consent = () => new Request('http://x/v1/subjects/p1/consent', { method: 'PUT', body: '{"categories":[]}' });
const reading = () => new Request('http://x/v1/ingest', { method: 'POST', body: '{"session_id":"s1"}' });

/** Returns a fetch that plays the outcomes in order, with the sent bodies and the waiting times. */
function play(outcomes: readonly Outcome[], random = 0) {
  const sent: string[] = [];
  const waitedMs: number[] = [];
  const send = retrying({
    maxRetries: 2,
    waitBudgetMs: 60_000,
    timeoutMs: 1000,
    random: () => random,
    sleep: async (ms) => void waitedMs.push(ms),
    fetch: async (request) => {
      sent.push(await (request as Request).text());
      const outcome = outcomes[sent.length - 1];
      if (outcome instanceof Response) return outcome;
      throw outcome;
    },
  });
  return { send, sent, waitedMs };
}

test('a retry sends the same body after the requested delay plus jitter', async () => {
  const { send, sent, waitedMs } = play([busy(503, '1'), busy(429, '7'), new Response('{}')], 0.5);
  expect((await send(reading())).status).toBe(200);
  expect(sent).toEqual(Array(3).fill('{"session_id":"s1"}'));
  expect(waitedMs).toEqual([1125, 7250]);
});

test('a call is retried at most maxRetries times', async () => {
  const { send, sent } = play(
    Array(9)
      .fill(undefined)
      .map(() => busy(503, '1')),
  );
  expect((await send(reading())).status).toBe(503);
  expect(sent).toHaveLength(3);
});

test('a delay over the limit and a non-retryable status are not retried', async () => {
  for (const answer of [busy(429, '61'), busy(500, '1'), busy(422, '1')]) {
    const { send, sent } = play([answer]);
    expect((await send(reading())).status).toBe(answer.status);
    expect(sent).toHaveLength(1);
  }
});

test('waits of one call never exceed its budget together', async () => {
  const { send, waitedMs } = play([busy(429, '40'), busy(429, '25'), new Response('{}')]);
  expect((await send(reading())).status).toBe(429);
  expect(waitedMs).toEqual([40_000]);
});

test('a 502 and a 504 are retried only for a request that the service may process twice without harm', async () => {
  for (const status of [502, 504]) {
    const safe = play([busy(status, '1'), new Response('{}')]);
    expect((await safe.send(reading())).status).toBe(200);
    const decision = play([busy(status, '1'), new Response('{}')]);
    expect((await decision.send(consent())).status).toBe(200);
    expect(decision.sent).toEqual(Array(2).fill('{"categories":[]}'));
    const unsafe = play([busy(status, '1')]);
    expect((await unsafe.send(new Request('http://x/v1/subjects/p1', { method: 'DELETE' }))).status).toBe(status);
    expect([safe.sent.length, unsafe.sent.length]).toEqual([2, 1]);
  }
});

test('an idempotent request is retried when its response is lost', async () => {
  for (const request of [reading(), consent(), new Request('http://x/v1/state?session_id=s1')]) {
    const { send, sent } = play([lost(), new Response('{}')]);
    expect((await send(request)).status).toBe(200);
    expect(sent).toHaveLength(2);
  }
});

test('a request with an Idempotency-Key is retried with the same key, also while the first one is in progress', async () => {
  const { send, sent } = play([lost(), busy(409, '1'), new Response('{}')]);
  const headers = { 'Idempotency-Key': 'k1' };
  const rotate = new Request('http://x/webhooks/wh_1/rotate-secret', { method: 'POST', headers });
  expect((await send(rotate)).status).toBe(200);
  expect(sent).toHaveLength(3);
});

test('a 409 without Retry-After is final, because another attempt gets the same response', async () => {
  const { send, sent } = play([new Response('{}', { status: 409 })]);
  expect((await send(consent())).status).toBe(409);
  expect(sent).toHaveLength(1);
});

test('a rotation, a registration and an erasure without Idempotency-Key are not retried when the response is lost', async () => {
  for (const [method, path] of [
    ['POST', '/webhooks/wh_1/rotate-secret'],
    ['POST', '/webhooks/register'],
    ['DELETE', '/v1/subjects/p1'],
  ]) {
    const { send, sent } = play([lost()]);
    await expect(send(new Request(`http://x${path}`, { method: method ?? '' }))).rejects.toMatchObject({
      name: 'ConnectionError',
      cause: lost(),
    });
    expect(sent).toHaveLength(1);
  }
});

test('an attempt ends at its timeout, and an abort signal ends the whole call', async () => {
  const hanging: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  const parts = { maxRetries: 1, waitBudgetMs: 1000, random: Math.random, sleep, fetch: hanging };
  const stop = new AbortController();
  const state = () => new Request('http://x/v1/state', { signal: stop.signal });
  await expect(retrying({ ...parts, timeoutMs: 5 })(state())).rejects.toMatchObject({ name: 'TimeoutError' });
  const call = retrying({ ...parts, timeoutMs: 60_000 })(state());
  stop.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  await expect(sleep(60_000, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
});

test.each(['', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'])(
  'a call to a service that sends %j and then nothing ends at its timeout, also under garbage collection',
  async (head) => {
    const url = await listen(createServer((socket) => void socket.write(head)));
    setFlagsFromString('--expose-gc');
    const collecting = setInterval(runInNewContext('gc') as () => void, 50);
    onTestFinished(() => clearInterval(collecting));
    const limits = { maxRetries: 0, waitBudgetMs: 1000, timeoutMs: 500, random: () => 0 };
    const send = retrying({ ...limits, fetch, sleep });
    const { signal } = new AbortController();
    await expect(send(new Request(url, { signal }))).rejects.toMatchObject({ name: 'TimeoutError' });
  },
);
