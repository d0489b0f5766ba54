import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stream as settings } from '../../generated/spec.js';
import { grantOf } from '../../testkit/grants.js';
import { wholeAccount } from '../contract/whose.js';
import { createEventStream } from './event-stream.js';
import type { Sink } from './sink.js';
import { type EventPage, sharePages } from './stream-page.js';
import { createStreams } from './streams.js';

/** Starts a client that reads only on request. */
function startClient() {
  const events = new EventEmitter();
  const sink = {
    texts: [] as string[],
    destroyed: false,
    writableNeedDrain: false,
    write(text: string) {
      sink.texts.push(text);
    },
    get listeners() {
      return events.listenerCount('close') + events.listenerCount('drain');
    },
    once: (event: string, act: () => void) => events.once(event, act),
    off: (event: string, act: () => void) => events.off(event, act),
    end: (text = '') => void sink.texts.push(text),
    destroy: () => (sink.destroyed = true),
    read() {
      sink.writableNeedDrain = false;
      events.emit('drain');
    },
  };
  return sink satisfies Sink;
}

const createPage = (id: number): EventPage => ({ events: [{ id, type: 'reading', data: '{}' }], isFull: true });
const request = { caller: grantOf(), whose: wholeAccount, after: 0 };
const settled = () => new Promise(setImmediate);

test('the next page is read only when the client has read the previous one', async () => {
  const sink = startClient();
  sink.writableNeedDrain = true;
  const readPage = vi.fn(async ({ after }: { after: number }) => createPage(after + 2));
  const stream = createEventStream({ sink, request, readPage });
  for (let wakes = 0; wakes < 10; wakes += 1) stream.wake();
  await settled();
  expect(readPage).toHaveBeenCalledTimes(1);
  expect(sink.texts).toHaveLength(1);
  stream.end();
  sink.read();
});

test('a client that does not read for the limit is disconnected', () => {
  const sink = startClient();
  const times = [0, 0, settings.stall_seconds * 1_000 - 1, settings.stall_seconds * 1_000];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 0);
  const stream = createEventStream({ sink, request, readPage: async () => createPage(2) });
  sink.writableNeedDrain = true;
  stream.beat();
  stream.beat();
  expect(sink.destroyed).toBe(false);
  stream.beat();
  clock.mockRestore();
  expect(sink.destroyed).toBe(true);
});

test('a client that reads slowly is not disconnected, however often it blocks', async () => {
  const sink = startClient();
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const stream = createEventStream({ sink, request, readPage: async ({ after }) => createPage(after + 2) });
  sink.writableNeedDrain = true;
  stream.wake();
  for (; nowMs < 3 * settings.stall_seconds * 1_000; nowMs += settings.heartbeat_seconds * 1_000) {
    await settled();
    stream.beat();
    sink.read();
    sink.writableNeedDrain = true;
  }
  clock.mockRestore();
  expect(sink.destroyed).toBe(false);
  expect(sink.listeners).toBeLessThan(4);
});

test('a page that cannot be read ends the stream, so that the client connects again', async () => {
  const sink = startClient();
  const readPage = () => Promise.reject(new Error('the database is unavailable'));
  createEventStream({ sink, request, readPage }).wake();
  await settled();
  expect(sink.texts.join('')).toMatch(/^retry: \d+\n\n$/);
});

test('a stream that ends while a page is being read sends nothing after its end', async () => {
  const sink = startClient();
  let read = (_: EventPage) => {};
  const readPage = () => new Promise<EventPage>((resolve) => (read = resolve));
  const stream = createEventStream({ sink, request, readPage });
  stream.wake();
  stream.end();
  read({ ...createPage(2), isFull: false });
  await settled();
  expect(sink.texts.join('')).toMatch(/^retry: \d+\n\n$/);
});

test('streams at the same event share the pages after each commit, and a slow stream reads its own later', async () => {
  let newest = 4;
  const readPage = vi.fn(async ({ after }: { after: number }) => {
    const id = Math.min(after + 2, newest);
    return { events: id > after ? createPage(id).events : [], isFull: id < newest };
  });
  const shared = sharePages(readPage);
  const cursors = [0, 0, 0, 2];
  const sinks = cursors.map(startClient);
  const streams = cursors.map((after, index) =>
    createEventStream({ sink: sinks[index] as Sink, request: { ...request, after }, readPage: shared }),
  );
  const commit = async (id: number) => {
    newest = id;
    for (const stream of streams) stream.wake();
    for (let turns = 0; turns < 5; turns += 1) await settled();
    return readPage.mock.calls.splice(0).map(([{ after }]) => after);
  };
  // The last stream starts at a later event. All streams then are at event 4.
  expect(await commit(4)).toEqual([0, 2]);
  expect(await commit(6)).toEqual([4]);
  (sinks[0] as ReturnType<typeof startClient>).writableNeedDrain = true;
  expect(await commit(8)).toEqual([6]);
  expect(await commit(10)).toEqual([8]);
  sinks[0]?.read();
  expect(await commit(12)).toEqual([10, 8, 10]);
  const ids = sinks.map(({ texts }) => [...texts.join('').matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)));
  expect(ids).toEqual([
    [2, 4, 6, 8, 10, 12],
    [2, 4, 6, 8, 10, 12],
    [2, 4, 6, 8, 10, 12],
    [4, 6, 8, 10, 12],
  ]);
  for (const stream of streams) stream.end();
});

test('a client that has disconnected before its stream starts occupies no place', async () => {
  const streams = createStreams({
    readPage: async () => ({ events: [], isFull: false }),
    findStreamHeads: async () => [],
    changedSessions: async () => [],
    notifyStreams: async () => undefined,
    isValid: async () => true,
    streamsMax: 1,
    perKeyMax: 1,
  });
  onTestFinished(streams.close);
  const { caller } = request;
  await streams.open({ caller, whose: wholeAccount }, () => Object.assign(startClient(), { destroyed: true }));
  expect(streams.openCount()).toBe(0);
  await streams.open({ caller, whose: wholeAccount }, startClient);
  expect(streams.openCount()).toBe(1);
});
