import { expect, onTestFinished, test, vi } from 'vitest';
import { stream as settings } from '../../generated/spec.js';
import type { PageRequest } from '../../src/streaming/stream-page.js';
import { createStreams } from '../../src/streaming/streams.js';
import { postBatch } from '../../testkit/batch.js';
import { type EventClient, openStream } from '../../testkit/event-source.js';
import { grantOf } from '../../testkit/grants.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { startTwoServices } from '../../testkit/two-services.js';
import { until } from '../../testkit/until.js';

const anna = { subject_id: 'anna' };
const sessions = (events: Awaited<ReturnType<EventClient['until']>>) => events.map(({ data }) => data.session_id);

/** Sends readings of two sessions of anna, of a session of ben and of one of nobody, in turn. */
async function sendAll(service: Pick<TestService, 'read'>, clock: TestService['clock'], rounds: number) {
  for (let round = 0; round < rounds; round += 1) {
    for (const named of [
      { ...anna, session_id: 'watch' },
      { session_id: 'nobody' },
      { session_id: 'stranger', subject_id: 'ben' },
      { ...anna, session_id: 'chat' },
    ])
      await service.read({ ...named, heart_rate: 70 + round });
    clock.advance(1);
  }
}

test('the stream of a person has the events of all sessions of the person, in the order of their acceptance', async () => {
  const service = await startTestService();
  const stream = await openStream(service, anna);
  const ofAccount = await openStream(service);
  expect(stream.events()[0]).toMatchObject({ type: 'ready', data: anna });
  await sendAll(service, service.clock, 3);
  const all = await ofAccount.until(12);
  const events = await stream.until(6);
  expect(events).toEqual(all.filter(({ data }) => ['watch', 'chat'].includes(data.session_id)));
  expect(sessions(events)).toEqual(['watch', 'chat', 'watch', 'chat', 'watch', 'chat']);
});

test('a state change is sent with its reading, and the filter of types applies', async () => {
  const service = await startTestService();
  const stream = await openStream(service, { ...anna, events: 'state_change' });
  await service.read({ ...anna, session_id: 'watch', heart_rate: 70 });
  service.clock.advance(1);
  await service.read({ ...anna, session_id: 'watch', heart_rate: 150, tone: 'hostile', expression: 'frowning' });
  expect(await stream.until(1)).toMatchObject([{ type: 'state_change', data: { session_id: 'watch' } }]);
});

test('a session that names its person only once belongs to the stream, and backfilled readings do not', async () => {
  const service = await startTestService();
  const stream = await openStream(service, anna);
  await service.read({ ...anna, session_id: 'chat', tone: 'calm' });
  await service.read({ ...anna, session_id: 'past', heart_rate: 70, backfill: true });
  await service.read({ session_id: 'chat', tone: 'calm', timestamp: service.clock.at(0.001) });
  const events = await stream.until(2);
  expect(sessions(events)).toEqual(['chat', 'chat']);
  await service.read({ session_id: 'chat', tone: 'hostile', timestamp: service.clock.at(1) });
  await until('the last reading arrives', async () => stream.events().at(-1)?.data.timestamp === service.clock.at(1));
  expect(stream.text()).not.toContain('past');
});

test('a client that continues after any event gets each later event once, over pages and hours', async () => {
  const service = await startTestService({});
  const { clock } = service;
  await sendAll(service, clock, 2);
  clock.advance(3 * 3600);
  // More readings than a page has, in sessions of two persons, with state changes.
  const count = 2 * settings.page_events + 20;
  for (let round = 0; round < 2; round += 1) {
    const batch = Array.from({ length: count }, (_, index) => ({
      ...{ session_id: `s${index % 4}`, subject_id: index % 4 < 2 ? 'anna' : 'ben' },
      ...{ timestamp: clock.at((index - count) / 10), tone: index % 60 < 30 ? 'calm' : 'hostile' },
    }));
    await postBatch(service, batch);
    clock.advance(60);
  }
  await service.read({ ...anna, session_id: 'last', heart_rate: 70 });
  const readAll = async (query: Record<string, string>) => {
    const stream = await openStream(service, query);
    await until('the last event arrives', async () => stream.events().at(-1)?.data.session_id === 'last');
    return stream.events().filter(({ type }) => type !== 'ready');
  };
  const ofAccount = await readAll({ last_event_id: '0' });
  const all = ofAccount.filter(({ data }) => ['watch', 'chat', 's0', 's1', 'last'].includes(data.session_id));
  expect(all.filter(({ type }) => type === 'reading')).toHaveLength(4 + count + 1);
  expect(all.filter(({ type }) => type === 'state_change').length).toBeGreaterThan(3);
  expect(await readAll({ ...anna, last_event_id: '0' })).toEqual(all);
  const change = all.findIndex(({ type }) => type === 'state_change');
  for (const at of [0, 3, 4, change - 1, change, Math.floor(all.length / 2), all.length - 2])
    expect(await readAll({ ...anna, last_event_id: all[at]?.id ?? '' })).toEqual(all.slice(at + 1));
});

test('readings of another process wake the stream of a person, also where the session was bound before', async () => {
  const { one, clock, calls } = await startTwoServices();
  const [, other] = calls;
  await other.read({ ...anna, session_id: 'chat', tone: 'calm' });
  const stream = await openStream(one, anna);
  const lasting = await openStream(one, { subject_id: 'ben' });
  clock.advance(1);
  await other.read({ session_id: 'chat', tone: 'calm' });
  expect(sessions(await stream.until(1))).toEqual(['chat']);
  await sendAll(other, clock, 2);
  expect(sessions(await stream.until(5)).slice(1)).toEqual(['watch', 'chat', 'watch', 'chat']);
  expect(sessions(await lasting.until(2))).toEqual(['stranger', 'stranger']);
});

test('an erasure at another process ends the stream of the person, not those of others', async () => {
  const { one, clock, calls } = await startTwoServices();
  const [, other] = calls;
  await sendAll(other, clock, 1);
  const stream = await openStream(one, anna);
  const lasting = await openStream(one, { subject_id: 'ben' });
  const before = await openStream(one, { subject_id: 'nobody-yet' });
  clock.advance(1);
  await other.request('/v1/subjects/anna', { method: 'DELETE' });
  await until('the stream ends', async () => stream.isEnded());
  expect(stream.text()).toMatch(/retry: \d+\n\n$/);
  const last = stream.events().at(-1)?.id ?? '';
  await other.read({ ...anna, session_id: 'watch', heart_rate: 80, timestamp: clock.at(1) });
  await other.read({ session_id: 'stranger', heart_rate: 80, timestamp: clock.at(1) });
  await other.read({ session_id: 'new', subject_id: 'nobody-yet', heart_rate: 80 });
  expect(sessions(await lasting.until(1))).toEqual(['stranger']);
  expect(sessions(await before.until(1))).toEqual(['new']);
  // A client that connects again gets the person's new readings only.
  const resumed = await openStream(one, { ...anna, last_event_id: last });
  expect(await resumed.until(1)).toMatchObject([{ data: { session_id: 'watch' } }]);
});

test('streams of one person share a page, and a reading of another person causes no query', async () => {
  const read: PageRequest[] = [];
  const streams = createStreams({
    async readPage(request) {
      read.push(request);
      return { events: [], isFull: false };
    },
    findStreamHeads: async () => [],
    changedSessions: async () => [],
    notifyStreams: async () => undefined,
    isValid: async () => true,
    ...{ streamsMax: 10, perKeyMax: 10 },
  });
  onTestFinished(streams.close);
  const caller = grantOf();
  const sink = { destroyed: false, writableNeedDrain: false, write() {}, once() {}, off() {}, end() {}, destroy() {} };
  for (const subjectId of ['anna', 'anna', 'ben'])
    await streams.open({ caller, whose: { kind: 'person', subjectId } }, () => sink);
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
  await settled();
  read.length = 0;
  const wake = (named: { sessionId: string; subjectId?: string }) => streams.wake([{ accountId: 'acc_1', ...named }]);
  wake({ sessionId: 'anna' });
  wake({ sessionId: 'chat', subjectId: 'carl' });
  await settled();
  expect(read).toEqual([]);
  wake({ sessionId: 'chat', subjectId: 'anna' });
  await settled();
  expect(read).toMatchObject([{ caller, whose: { subjectId: 'anna' }, after: 0 }]);
});

test('a reading wakes the stream of its person without a poll, also if it does not name the person', async () => {
  const service = await startTestService({});
  await service.read({ ...anna, session_id: 'chat', tone: 'calm' });
  // No stream was open before, so the polls have not started.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = await openStream(service, anna);
  await service.read({ session_id: 'chat', tone: 'calm', timestamp: service.clock.at(1) });
  expect(sessions(await stream.until(1))).toEqual(['chat']);
});
