import { openStream, type ReceivedEvent } from '../../testkit/event-source.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { startTwoServices } from '../../testkit/two-services.js';

/** Sends readings that alternate between calm and stressed, to two sessions, some of them late. */
async function fill(service: TestService, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const isCalm = index % 4 < 2;
    const voice = isCalm ? ({ tone: 'calm', sentiment: 0.9 } as const) : ({ tone: 'hostile', sentiment: -1 } as const);
    const timestamp = service.clock.at(index % 5 === 4 ? -30 : 0);
    await service.read({ session_id: `s${index % 2}`, timestamp, heart_rate: isCalm ? 60 : 130, ...voice });
    service.clock.advance(3);
  }
}

test('a client that reconnects after any event gets exactly the later events', async ({ service }) => {
  await fill(service, 12);
  for (const query of [{}, { session_id: 's0' }]) {
    const all = await (await openStream(service, { ...query, last_event_id: '0' })).until(query.session_id ? 6 : 12);
    expect(all.some(({ type }) => type === 'state_change')).toBe(true);
    for (const [index, { id }] of all.slice(0, -1).entries()) {
      const rest = all.slice(index + 1);
      const resumed = await openStream(service, query, { 'X-Service-Key': service.key, 'Last-Event-ID': id });
      expect(await resumed.until(rest.length)).toEqual(rest);
      await resumed.close();
    }
  }
});

test('a client that reconnects with the id of the `ready` event gets every later event', async ({ service }) => {
  const [ready] = (await openStream(service)).events();
  const reading = await service.read({ heart_rate: 70 });
  const resumed = await openStream(service, { last_event_id: ready?.id ?? '' });
  expect((await resumed.until(1)).map(({ data }) => data)).toEqual([reading]);
});

test('the header Last-Event-ID takes precedence over the parameter, which an EventSource sends unchanged', async () => {
  const service = await startTestService();
  await fill(service, 3);
  const all = await (await openStream(service, { last_event_id: '0' })).until(3);
  const headers = { 'X-Service-Key': service.key, 'Last-Event-ID': all[1]?.id ?? '' };
  const resumed = await openStream(service, { last_event_id: '0' }, headers);
  expect(await resumed.until(all.length - 2)).toEqual(all.slice(2));
});

test('an invalid Last-Event-ID is rejected like the parameter, and an empty one is ignored', async ({ service }) => {
  const invalid = await service.request('/v1/stream', { headers: { 'Last-Event-ID': 'x' } });
  expect([invalid.status, invalid.body.errors]).toEqual([
    422,
    [{ parameter: 'last_event_id', code: 'pattern_mismatch', detail: 'Input should be the id of an event' }],
  ]);
  await fill(service, 1);
  const all = await (await openStream(service, { last_event_id: '0' })).until(1);
  const headers = { 'X-Service-Key': service.key, 'Last-Event-ID': '' };
  expect(await (await openStream(service, { last_event_id: '0' }, headers)).until(1)).toEqual(all);
});

test('a stream with an id of another database starts at the newest event', async ({ service }) => {
  await service.read({ heart_rate: 70 });
  const stream = await openStream(service, { last_event_id: '9007199254740991' });
  service.clock.advance(1);
  const reading = await service.read({ heart_rate: 71 });
  expect((await stream.until(1)).map(({ data }) => data)).toEqual([reading]);
});

test('hundreds of missed events arrive in order', async ({ service }) => {
  const stored = [];
  for (let index = 0; index < 250; index += 1) {
    stored.push(await service.read({ heart_rate: 60 + (index % 3) }));
    service.clock.advance(0.5);
  }
  const stream = await openStream(service, { last_event_id: '0', events: 'reading' });
  expect((await stream.until(250)).map(({ data }) => data)).toEqual(stored);
});

test('a stream gets the readings of all processes in one order, without gaps', async () => {
  const { one, two, clock, calls } = await startTwoServices();
  const stream = await openStream(one);
  const send = (index: number) =>
    calls[index % 2 ? 0 : 1].read({ session_id: `s${index % 7}`, timestamp: clock.at(-index / 10), heart_rate: 70 });
  await Promise.all(Array.from({ length: 120 }, (_, index) => send(index)));
  const live = await stream.until(120);
  const stored = await (await openStream({ url: two.url, key: one.key }, { last_event_id: '0' })).until(120);
  expect(live).toEqual(stored);
});

test('a client that resumes at the other process after every event misses and repeats nothing', async () => {
  const { one, two, clock, calls } = await startTwoServices();
  const received: ReceivedEvent[] = [];
  const total = 6;
  for (let index = 0; index < total; index += 1) {
    const { url } = index % 2 ? one : two;
    const stream = await openStream({ url, key: one.key }, { last_event_id: received.at(-1)?.id ?? '0' });
    await calls[index % 2 ? 1 : 0].read({ heart_rate: 60 + index });
    clock.advance(1);
    received.push(...(await stream.until(1)).slice(0, 1));
    await stream.close();
  }
  expect(await (await openStream(one, { last_event_id: '0' })).until(total)).toEqual(received);
});
