import { startReceiver } from '../../testkit/receiver.js';
import { openStream } from '../../testkit/event-source.js';
import { startDelivering, startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { register } from '../../testkit/webhooks.js';
import { until } from '../../testkit/until.js';

const calm = { heart_rate: 60, tone: 'calm', expression: 'relaxed', sentiment: 0.9 } as const;
const stressed = { heart_rate: 120, tone: 'hostile', expression: 'tense', sentiment: -1 } as const;

/** Sends a calm reading, then a stressed reading, which changes the state. */
async function change(service: TestService, person: { readonly subject_id?: string } = {}) {
  const signals = { session_id: 's1', ...person };
  const first = await service.read({ ...signals, ...calm });
  service.clock.advance(2);
  const second = await service.read({ ...signals, ...stressed });
  service.clock.advance(2);
  return [first, second] as const;
}

test('the first event is ready, and the headers keep proxies from buffering and compressing', async () => {
  const { response, text } = await openStream(await startTestService(), { session_id: 's1' });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(text()).toMatch(/^retry: 1000\nid: \d+\nevent: ready\ndata: {"session_id":"s1"}\n\n/);
});

test('a reading event equals the response of ingest, and the state change after it equals the webhook event', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  await register(service, receiver.url);
  const stream = await openStream(service, { session_id: 's1' });
  const [first, second] = await change(service);
  const events = await stream.until(3);
  const [delivered] = await receiver.until(1);
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['reading', first],
    ['reading', second],
    ['state_change', delivered?.event],
  ]);
});

test('a stream of one session has only events of that session, and a stream of the account has all events', async () => {
  const service = await startTestService();
  const [one, all] = [await openStream(service, { session_id: 's1' }), await openStream(service)];
  for (const session_id of ['s2', 's1', 's3']) await service.read({ session_id, heart_rate: 70 });
  expect((await all.until(3)).map(({ data }) => data.session_id)).toEqual(['s2', 's1', 's3']);
  expect((await one.until(1)).map(({ data }) => data.session_id)).toEqual(['s1']);
});

test('events of a person name the person, also to a token of the person, and not to one of the session', async ({
  service,
}) => {
  const subject_id = 'anna';
  const [own, other] = [await issueToken(service, { subject_id }), await issueToken(service)].map(bearer);
  const streams = [await openStream(service), await openStream(service, {}, own), await openStream(service, {}, other)];
  await change(service, { subject_id });
  const named = await Promise.all(streams.map(async (it) => (await it.until(3)).map(({ data }) => data.subject_id)));
  expect(named).toEqual([Array(3).fill(subject_id), Array(3).fill(subject_id), Array(3).fill(undefined)]);
});

test('the parameter events selects a type of event', async ({ service }) => {
  const changes = await openStream(service, { events: 'state_change' });
  const readings = await openStream(service, { events: 'reading' });
  await change(service);
  expect((await readings.until(2)).map(({ type }) => type)).toEqual(['reading', 'reading']);
  expect((await changes.until(1)).map(({ type }) => type)).toEqual(['state_change']);
});

test("a stream of another account gets none of the owner's events, with any session_id and Last-Event-ID", async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  const queries = [{}, { session_id: 's1' }, { last_event_id: '0' }, { session_id: 's1', last_event_id: '0' }];
  await change(owner);
  const streams = await Promise.all(queries.map((query) => openStream(stranger, query as Record<string, string>)));
  await change(owner);
  const marker = await stranger.read({ session_id: 's1', heart_rate: 70 });
  for (const stream of streams) expect((await stream.until(1)).map(({ data }) => data)).toEqual([marker]);
});

test('a new stream starts after the state change of the newest reading', async ({ service }) => {
  await change(service);
  const streams = [await openStream(service), await openStream(service, { session_id: 's1' })];
  const marker = await service.read(stressed);
  for (const stream of streams) expect((await stream.until(1)).map(({ data }) => data)).toEqual([marker]);
});

test('a late reading is sent after the readings that were accepted before it', async ({ service }) => {
  const stream = await openStream(service);
  for (const seconds of [0, -20, -10]) await service.read({ timestamp: service.clock.at(seconds), heart_rate: 70 });
  const ids = (await stream.until(3)).map(({ id }) => Number(id));
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
});

test('a resent reading causes no second event', async ({ service }) => {
  const stream = await openStream(service);
  const reading = { timestamp: service.clock.at(), heart_rate: 70 };
  await service.read(reading);
  await service.read(reading);
  const marker = await service.read({ heart_rate: 71 });
  expect((await stream.until(2))[1]?.data).toEqual(marker);
});

test('a token streams its session, in the header or in the query, and the log contains neither', async () => {
  const service = await startTestService();
  const token = await issueToken(service, { scopes: ['read'] });
  const inHeader = await openStream(service, {}, bearer(token));
  const inQuery = await openStream(service, { access_token: token }, {});
  await service.read({ session_id: 's2', heart_rate: 70 });
  await service.read({ session_id: 's1', heart_rate: 70 });
  for (const stream of [inHeader, inQuery])
    expect((await stream.until(1)).map(({ data }) => data.session_id)).toEqual(['s1']);
  await inQuery.close();
  expect(service.logs.join('')).not.toContain(token.slice(-20));
});

test.each(['/v1/state?session_id=s1', '/v1/history?session_id=s1'])(
  '%s: refuses a token in the query',
  async (path) => {
    const service = await startTestService();
    const token = await issueToken(service);
    const { status } = await service.request(`${path}&access_token=${token}`, { headers: { 'X-Service-Key': '' } });
    expect(status).toBe(401);
  },
);

test('a token of another session or scope gets 401', async ({ service }) => {
  const other = await openStream(service, { session_id: 's2' }, bearer(await issueToken(service)));
  const sending = await openStream(service, {}, bearer(await issueToken(service, { scopes: ['ingest'] })));
  expect([other.response.status, sending.response.status]).toEqual([401, 401]);
});

test('erasing the subject ends the streams of its sessions, and no stream returns its readings', async () => {
  const service = await startTestService();
  await service.read({ session_id: 's1', subject_id: 'anna', heart_rate: 70 });
  const stream = await openStream(service, { session_id: 's1' });
  const other = await openStream(service, { session_id: 's2' });
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  await until('the stream ends', async () => stream.isEnded());
  expect(stream.text()).toMatch(/retry: \d+\n\n$/);
  expect(other.isEnded()).toBe(false);
  service.clock.advance(1);
  const marker = await service.read({ session_id: 's3', heart_rate: 70 });
  const all = await openStream(service, { last_event_id: '0' });
  expect((await all.until(1)).map(({ data }) => data)).toEqual([marker]);
});

test('HEAD returns the headers and ends', async ({ service: { url, key } }) => {
  const answer = await fetch(`${url}/v1/stream`, { method: 'HEAD', headers: { 'X-Service-Key': key } });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});
