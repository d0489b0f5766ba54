import { expect, test } from 'vitest';
import { openStream } from '../support/event-source.js';
import { Clock, startTestService, type TestService } from '../support/service.js';

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

test('a client that disconnects after any event gets exactly the later ones', async () => {
  const service = await startTestService();
  await fill(service, 24);
  for (const query of [{}, { session_id: 's0' }]) {
    const all = await (await openStream(service, { ...query, last_event_id: '0' })).until(query.session_id ? 12 : 24);
    expect(all.some(({ type }) => type === 'state_change')).toBe(true);
    for (const [index, { id }] of all.slice(0, -1).entries()) {
      const rest = all.slice(index + 1);
      const resumed = await openStream(service, query, { 'X-Service-Key': service.key, 'Last-Event-ID': id });
      expect(await resumed.until(rest.length)).toEqual(rest);
      await resumed.close();
    }
  }
});

test('the id of ready continues without a gap', async () => {
  const service = await startTestService();
  const [ready] = (await openStream(service)).events();
  const reading = await service.read({ heart_rate: 70 });
  const resumed = await openStream(service, { last_event_id: ready?.id ?? '' });
  expect((await resumed.until(1)).map(({ data }) => data)).toEqual([reading]);
});

test('the header takes precedence over the parameter, which an EventSource repeats', async () => {
  const service = await startTestService();
  await fill(service, 3);
  const all = await (await openStream(service, { last_event_id: '0' })).until(3);
  const headers = { 'X-Service-Key': service.key, 'Last-Event-ID': all[1]?.id ?? '' };
  const resumed = await openStream(service, { last_event_id: '0' }, headers);
  expect(await resumed.until(all.length - 2)).toEqual(all.slice(2));
});

test('an id of another database starts at the newest event', async () => {
  const service = await startTestService();
  await service.read({ heart_rate: 70 });
  const stream = await openStream(service, { last_event_id: '9007199254740991' });
  service.clock.advance(1);
  const reading = await service.read({ heart_rate: 71 });
  expect((await stream.until(1)).map(({ data }) => data)).toEqual([reading]);
});

test('hundreds of missed events arrive in order', async () => {
  const service = await startTestService();
  const stored = [];
  for (let index = 0; index < 250; index += 1) {
    stored.push(await service.read({ heart_rate: 60 + (index % 3) }));
    service.clock.advance(0.5);
  }
  const stream = await openStream(service, { last_event_id: '0', events: 'reading' });
  expect((await stream.until(250)).map(({ data }) => data)).toEqual(stored);
});

test('a stream of one process sees every reading that others accept, in one order, without gaps', async () => {
  const clock = new Clock();
  const one = await startTestService({ clock });
  const two = await startTestService({ clock, database: one.database });
  const stream = await openStream(one);
  const send = (service: TestService, index: number) =>
    fetch(`${service.url}/v1/ingest`, {
      method: 'POST',
      headers: { 'X-Service-Key': one.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ session_id: `s${index % 7}`, timestamp: clock.at(-index / 10), heart_rate: 70 }),
    });
  const answers = await Promise.all(Array.from({ length: 120 }, (_, index) => send(index % 2 ? one : two, index)));
  expect(answers.every(({ ok }) => ok)).toBe(true);
  const live = await stream.until(120);
  const stored = await (await openStream(two, { last_event_id: '0' }, { 'X-Service-Key': one.key })).until(120);
  expect(live).toEqual(stored);
});
