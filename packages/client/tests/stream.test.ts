import { expect, test } from 'vitest';
import { createStateClient, type StateClient, type StateReading, type StreamEvent } from '../src/index.js';
import { ConnectionError } from '../src/connection-error.js';
import { UnexpectedAnswerError } from '../src/problem-error.js';
import { followStream } from '../src/stream.js';
import { receive } from '../src/stream-connection.js';
import { startProxy } from '../../../testkit/proxy.js';
import { client, startTestService, type TestService } from '../../../testkit/service.js';
import { temporaryDatabase } from '../../../testkit/temporary-database.js';

const calm = { heart_rate: 60, tone: 'calm', expression: 'relaxed', sentiment: 0.9 } as const;
const stressed = { heart_rate: 120, tone: 'hostile', expression: 'tense', sentiment: -1 } as const;

function clientOf({ url, key }: Pick<TestService, 'url' | 'key'>): StateClient {
  return createStateClient({ baseUrl: url, key });
}

/** Options with which the stream returns all events of a new account. */
const fromStart = { lastEventId: '0' };

async function take<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) if (taken.push(item) >= count) break;
  return taken;
}

/** Stores readings that alternate between calm and stressed. Returns all events. */
async function fill(service: TestService, count: number): Promise<StreamEvent[]> {
  const states: string[] = [];
  for (let index = 0; index < count; index += 1) {
    states.push((await service.read(index % 2 ? stressed : calm)).state);
    service.clock.advance(3);
  }
  const changes = states.filter((state, index) => index > 0 && state !== states[index - 1]).length;
  return take(clientOf(service).stream(fromStart), count + changes);
}

test('the stream yields the readings and state changes of a session, each with its type', async () => {
  const service = await startTestService();
  const events = clientOf(service).stream({ sessionId: 's1', ...fromStart });
  const stored: StateReading[] = [];
  for (const signals of [calm, stressed]) {
    stored.push(await service.read(signals));
    await service.read({ session_id: 's2', heart_rate: 70 });
    service.clock.advance(3);
  }
  const [first, second, change] = await take(events, 3);
  expect([first?.data, second?.data]).toEqual(stored);
  expect(change).toMatchObject({ type: 'state_change', data: { new_state: stored[1]?.state } });
  expect(change?.id).toMatch(/^\d+$/);
});

test('the option events selects a type, and its data has the type of that event', async () => {
  const service = await startTestService();
  const all = await fill(service, 2);
  const [change] = await take(clientOf(service).stream({ events: 'state_change', ...fromStart }), 1);
  const state: string | undefined = change?.data.new_state;
  expect([change, state]).toEqual([all[2], expect.any(String)]);
});

test('a stream whose connection breaks after each reading continues without gaps or duplicates', async () => {
  const service = await startTestService();
  const { hostname, port } = new URL(service.url);
  const proxy = await startProxy(hostname, Number(port));
  const errors: Array<string | undefined> = [];
  const onDisconnect = (error?: Error) => {
    errors.push(error?.name);
    proxy.restore();
  };
  const proxied = clientOf({ url: `http://127.0.0.1:${proxy.port}`, key: service.key });
  const events = proxied.stream({ ...fromStart, onDisconnect });
  const received: StreamEvent[] = [];
  for (const signals of [calm, stressed, calm, stressed]) {
    const reading = await service.read(signals);
    service.clock.advance(3);
    do {
      const { value } = await events.next();
      if (value) received.push(value);
    } while (received.at(-1)?.data.timestamp !== reading.timestamp);
    proxy.cut();
  }
  await events.return();
  const all = await take(clientOf(service).stream(fromStart), received.length);
  expect(received).toEqual(all);
  expect(received.filter(({ type }) => type === 'reading')).toHaveLength(4);
  expect(errors).toEqual(Array(3).fill('ConnectionError'));
});

test('after a restart of the service, a stream continues after the wait that the service stated', async () => {
  const database = await temporaryDatabase();
  const service = await startTestService({ database });
  const { clock, url, key } = service;
  const ends: Array<readonly [Error | undefined, number]> = [];
  const onDisconnect = (error: Error | undefined, waitMs: number) => void ends.push([error, waitMs]);
  const events = clientOf(service).stream({ onDisconnect, ...fromStart });
  const first = await service.read(calm);
  expect((await events.next()).value?.data).toEqual(first);
  const next = events.next();
  await service.close();
  const again = await startTestService({ database, clock, env: { PORT: new URL(url).port } });
  clock.advance(1);
  const second = await client(again.url, key, clock).read(calm);
  expect((await next).value?.data).toEqual(second);
  await events.return();
  const [error, waitMs] = ends[0] ?? [];
  expect(error).toBeUndefined();
  expect(waitMs).toBeGreaterThanOrEqual(1000);
  expect(waitMs).toBeLessThanOrEqual(5000);
});

test('leaving the loop closes the connection, and so does aborting the signal', async () => {
  // With one allowed stream, a connection that stays open would prevent the next stream.
  const service = await startTestService({ env: { MAX_STREAMS: '1' } });
  const stream = (signal?: AbortSignal) => clientOf(service).stream(fromStart, signal && { signal });
  const reading = await service.read(calm);
  expect((await take(stream(), 1))[0]?.data).toEqual(reading);
  const stop = new AbortController();
  const events = stream(stop.signal);
  expect((await events.next()).value?.data).toEqual(reading);
  const waiting = events.next();
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect((await take(stream(), 1))[0]?.data).toEqual(reading);
});

test('an error that another attempt cannot fix ends the stream', async () => {
  const { url, key } = await startTestService({ env: { LIMIT_STREAMS_PER_KEY: '1' } });
  const first = async (client: StateClient, sessionId = 's1') => client.stream({ sessionId }).next();
  await expect(first(clientOf({ url, key: 'sk_none' }))).rejects.toMatchObject({ code: 'invalid_api_key' });
  await expect(first(clientOf({ url, key }), 'two words')).rejects.toMatchObject({ code: 'validation_failed' });
  const page = async () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } });
  const behindProxy = createStateClient({ baseUrl: url, key, fetch: page });
  await expect(first(behindProxy)).rejects.toMatchObject({ name: 'UnexpectedAnswerError', status: 200 });
});

test('a first connection that fails ends the stream after the retries of a call', async () => {
  const service = await startTestService({ env: { LIMIT_STREAMS_PER_KEY: '1' } });
  const unreachable = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1', maxRetries: 1 });
  const waits: number[] = [];
  const events = unreachable.stream({ onDisconnect: (_, waitMs) => void waits.push(waitMs) });
  await expect(events.next()).rejects.toMatchObject({ name: 'ConnectionError' });
  expect(waits).toHaveLength(1);
  const open = clientOf(service).stream(fromStart);
  await service.read(calm);
  await open.next();
  const refused = clientOf(service).stream({}, { waitBudgetMs: 5_000 }).next();
  await expect(refused).rejects.toMatchObject({ status: 429, violatedPolicies: ['streams'] });
  await open.return();
});

/** Follows a stream whose connections break after a comment (`open`), or fail with an error. Returns the waits, ms. */
async function waitsAfter(connections: ReadonlyArray<'open' | Error>): Promise<number[]> {
  const left = [...connections];
  const waits: number[] = [];
  const connect = async () => {
    const next = left.shift();
    if (next !== 'open') throw next ?? new UnexpectedAnswerError(404);
    const comment = new TextEncoder().encode(':\n\n');
    let isSent = false;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isSent) controller.error(new Error('reset'));
        else controller.enqueue(comment);
        isSent = true;
      },
    });
  };
  const limits = { signal: undefined, timeoutMs: 1000, maxRetries: 0, waitBudgetMs: 0 };
  const parts = { ...limits, connect, sleep: async () => undefined, random: () => 0 };
  const events = followStream(parts, { onDisconnect: (_, waitMs) => void waits.push(waitMs) });
  await expect(events.next()).rejects.toMatchObject({ status: 404 });
  return waits;
}

test('a wait doubles after each failed connection, and starts anew after each connection that was open', async () => {
  const failed = new ConnectionError('refused', undefined);
  expect(await waitsAfter(Array(40).fill('open'))).toEqual(Array(40).fill(1000));
  expect(await waitsAfter(['open', failed, failed, failed, 'open', failed])).toEqual([
    1000, 2000, 4000, 8000, 1000, 2000,
  ]);
});

test('a stream connects again after a 408 and a 429', async () => {
  const refusals = [408, 429].map((status) => new UnexpectedAnswerError(status));
  expect(await waitsAfter(['open', ...refusals])).toEqual([1000, 2000, 4000]);
});

test('a connection that receives no bytes within the limit ends with a TimeoutError', async () => {
  const { url, key } = await startTestService();
  const connect = async (signal: AbortSignal) => {
    const { body } = await fetch(`${url}/v1/stream`, { headers: { 'X-Service-Key': key }, signal });
    if (!body) throw new Error('no body');
    return body;
  };
  const parts = { connect, signal: undefined, timeoutMs: 30_000, silenceMs: 100 };
  const { value } = await receive({ ...parts, startParser: () => () => [] }).next();
  expect(value).toMatchObject({ wasOpen: true, error: { name: 'TimeoutError', timeoutMs: 100 } });
});
