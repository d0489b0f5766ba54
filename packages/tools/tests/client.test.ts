import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { createSend, createSending } from '../send.js';
import { createBatchSender } from '../send-batch.js';
import { readBaseUrl, UnusableService } from '../service.js';
import { listen } from '../../../testkit/listen.js';

const submission = { session_id: 's1', timestamp: '2026-11-21T09:30:00.000Z', heart_rate: 70 };

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Starts a server that sends its replies in order, then repeats the last one. */
async function startServer(...replies: Reply[]) {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push(
      request.url === '/v1/ingest'
        ? JSON.parse(body)
        : body
            .trim()
            .split('\n')
            .map((it) => JSON.parse(it)),
    );
    const reply = replies[Math.min(received.length, replies.length) - 1];
    response.writeHead(reply?.status ?? 500, reply?.headers).end(JSON.stringify(reply?.body ?? {}));
  });
  const service = { url: await listen(server), key: 'sk_x' };
  const { signal } = new AbortController();
  const waits: (readonly [number, string])[] = [];
  const sendBatch = createBatchSender(createSending(service, signal, (...wait) => waits.push(wait)));
  return { received, waits, send: createSend(service, signal), sendBatch };
}

const problem = (detail: string, status = 503) => ({ code: 'any', request_id: 'r', status, detail });
const busy = { status: 503, headers: { 'Retry-After': '0' }, body: problem('Service unavailable') };
const state = { status: 200, body: { state: 'calm', stress_score: 10 } };

test('a reading is retried unchanged when the service is busy', async () => {
  const { received, send } = await startServer(busy, { ...busy, status: 429 }, state);
  expect(await send(submission)).toEqual({ reading: state.body });
  expect(received).toEqual([submission, submission, submission]);
});

test('the client reports a busy service after five attempts', async () => {
  const { received, send } = await startServer(busy);
  expect(await send(submission)).toEqual({ refusal: '503 Service unavailable' });
  expect(received).toHaveLength(5);
});

test('a Retry-After of a day ends the call instead of waiting', async () => {
  const { received, send } = await startServer({ status: 429, headers: { 'Retry-After': '86400' } });
  expect(await send(submission)).toEqual({ refusal: 'status 429 without a problem of the service' });
  expect(received).toHaveLength(1);
});

test('only the lines of a batch that a limit rejected are sent again after a reported wait, and the answers keep their order', async () => {
  const [first, second, third] = [1, 2, 3].map((heart_rate) => ({ ...submission, heart_rate }));
  const accepted = { status: 200, state: state.body };
  const limited = { status: 429, error: { detail: 'Rate limit exceeded', retry_after_seconds: 0 } };
  const { received, waits, sendBatch } = await startServer(
    { status: 200, body: { results: [limited, accepted, limited] } },
    { status: 200, body: { results: [accepted, { status: 422, error: { detail: 'Input should be a number' } }] } },
  );
  const lines = [first, second, third].flatMap((it) => it ?? []);
  expect(await sendBatch(lines)).toEqual([
    { reading: state.body },
    { reading: state.body },
    { refusal: '422 Input should be a number', error: { detail: 'Input should be a number' } },
  ]);
  expect(received).toEqual([lines, [first, third]]);
  expect(waits).toEqual([[0, '429 Rate limit exceeded']]);
});

test('a validation error is reported with its field', async () => {
  const errors = [{ detail: 'Input should be a valid number', code: 'number_type', pointer: '/sentiment' }];
  const { send } = await startServer({
    status: 422,
    body: { ...problem('Input should be a valid number', 422), errors },
  });
  expect(await send(submission)).toEqual({ refusal: '422 sentiment: Input should be a valid number' });
});

test('a 200 response without a state is reported as not from the service', async () => {
  const { send } = await startServer({ status: 200, body: { hello: 'world' } });
  await expect(send(submission)).rejects.toThrow(UnusableService);
});

test('a base URL keeps its path and loses its trailing slash, and other schemes are rejected', () => {
  expect(readBaseUrl('https://example.org/state/')).toBe('https://example.org/state');
  expect(readBaseUrl('localhost:8080')).toBeUndefined();
  expect(readBaseUrl('example')).toBeUndefined();
});
