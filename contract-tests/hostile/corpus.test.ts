import { Agent, request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { assertConforms } from '../../testkit/conformance.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { bodyOf } from '../../testkit/text-of.js';
import { startProcessWithKey } from '../process/started.js';
import { heapBytes } from './heap-bytes.js';
import { type HostileRequest, hostileRequests } from './corpus.js';

/** Time limit, ms. Thousands of requests take up to this time on a busy machine. */
const limitMs = 240_000;
const perOperation = 60;
const atOnce = 8;
/** Time without a response after which a request counts as hanging, ms. */
const hangMs = 10_000;
/** Maximum growth of the heap between two rounds of the same requests. */
const growthBytesMax = 2 ** 20;

test('hostile requests get documented responses, never hang and leak no memory', { timeout: limitMs }, async () => {
  const database = await temporaryDatabase();
  const env = { DATABASE_URL: database.url, WEBHOOK_ALLOW_LOOPBACK: '0', LOG_LEVEL: 'warn' };
  const { service, key } = await startProcessWithKey({ ...env, NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  const corpus = hostileRequests(seededRandom(11), perOperation);
  expect(corpus.length).toBeGreaterThan(1_500);
  const rounds = [];
  // A seventh has requests of every kind: their kinds repeat after multiples of 2, 3 and 5.
  const some = corpus.filter((_, index) => index % 7 === 0);
  for (const requests of [corpus, some, some]) {
    const { statuses, slowestMs } = await sendAll(service.url, key, requests);
    rounds.push({ slowestMs, statuses, heapBytes: await heapBytes(service.stderr()) });
  }
  console.log(`${corpus.length} hostile requests a round:`, rounds);
  for (const { statuses } of rounds)
    expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).toEqual([]);
  expect((rounds[2]?.heapBytes ?? 0) - (rounds[1]?.heapBytes ?? 0)).toBeLessThan(growthBytesMax);
  expect(service.stderr()).not.toMatch(/"level":(50|60)/);
  await service.stop('SIGTERM');
});

interface Sent {
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

async function sendAll(url: string, key: string, corpus: readonly HostileRequest[]): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const statuses: Record<string, number> = {};
  let slowestMs = 0;
  const queue = [...corpus];
  const lane = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const startedAtMs = performance.now();
      const status = await send(agent, url, key, next);
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - startedAtMs));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  agent.destroy();
  return { statuses, slowestMs };
}

/** Resolves with the status of a response that the contract documents. */
function send(agent: Agent, url: string, key: string, sent: HostileRequest): Promise<number> {
  const { hostname, port } = new URL(url);
  const headers = { 'X-Service-Key': key, ...sent.headers, 'Content-Length': String(sent.body?.length ?? 0) };
  const options = { agent, hostname, port, method: sent.method, path: sent.target, headers, timeout: hangMs };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Error(`${sent.name} ${sent.target}: ${error.message}`));
    const request = httpRequest(options, async (response) => {
      try {
        const parts: Buffer[] = [];
        const isStream = response.headers['content-type'] === 'text/event-stream';
        for await (const part of response) {
          parts.push(part as Buffer);
          // Stops reading, because a stream stays open until the client closes it.
          if (isStream) break;
        }
        const text = Buffer.concat(parts).toString();
        const status = response.statusCode ?? 0;
        const answer = new Response(text || null, { status, headers: response.headers as Record<string, string> });
        assertConforms(
          sent.method,
          sent.target.split('?')[0] ?? '',
          answer,
          bodyOf(text, response.headers['content-type'] ?? null),
        );
        resolve(status);
      } catch (error) {
        fail(error as Error);
      }
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', fail);
    request.end(sent.body);
  });
}
