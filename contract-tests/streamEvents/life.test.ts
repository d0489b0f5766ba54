import { connect } from 'node:net';
import { createKey, revokeKey, rotateKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { openStream } from '../../testkit/event-source.js';
import { client, startTestService } from '../../testkit/service.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { startTwoServices } from '../../testkit/two-services.js';
import { until } from '../../testkit/until.js';

test('a comment keeps an idle stream open', async () => {
  const stream = await openStream(await startTestService({ heartbeatMs: 20 }));
  await until('three comments arrive', async () => (stream.text().match(/^:$/gm) ?? []).length >= 3);
});

test('a shutdown ends all streams with a reconnection time', async ({ ownService: service }) => {
  const streams = [await openStream(service), await openStream(service, { session_id: 's1' })];
  await service.close();
  for (const stream of streams) {
    await until('the stream ends', async () => stream.isEnded());
    expect(stream.text()).toMatch(/\n\nretry: [1-5]\d{3}\n\n$/);
  }
});

test('a key has a limited number of streams, and a closed stream no longer counts', async () => {
  const service = await startTestService({ env: { LIMIT_STREAMS_PER_KEY: '2' } });
  const streams = [await openStream(service), await openStream(service)];
  const refused = await service.request('/v1/stream');
  expect(refused).toMatchObject({ status: 429, body: { violated_policies: ['streams'] } });
  expect(refused.headers.get('retry-after')).toBe('10');
  const { key } = await makeAccount(service, 'other', 'solo');
  expect((await openStream({ ...service, key })).response.status).toBe(200);
  await streams[0]?.close();
  await until('there is room', async () => (await service.request('/v1/stream')).status === 200);
});

test('all keys of an account together open at most half of the streams of a process', async () => {
  const service = await startTestService({ env: { MAX_STREAMS: '5', LIMIT_STREAMS_PER_KEY: '2' } });
  const keys = service.store.use(createKeyTable);
  const old = await createKey(keys, { account: 'rotating', tier: 'solo' }, service.clock.nowMs);
  const issued = [old, await rotateKey(keys, old.keyId, false, service.clock.nowMs)];
  const calls = issued.map(({ key }) => client(service.url, key, service.clock));
  const streams = await Promise.all(issued.map(({ key }) => openStream({ ...service, key })));
  for (const { request } of calls)
    expect(await request('/v1/stream')).toMatchObject({ status: 429, body: { violated_policies: ['streams'] } });
  const { key } = await makeAccount(service, 'other', 'solo');
  expect((await openStream({ ...service, key })).response.status).toBe(200);
  await streams[0]?.close();
  await until('there is room', async () => (await calls[1]?.request('/v1/stream'))?.status === 200);
});

test('a process has a limited number of streams', async () => {
  const service = await startTestService({ env: { MAX_STREAMS: '2' } });
  const { key } = await makeAccount(service, 'other', 'solo');
  await openStream(service);
  await openStream({ ...service, key });
  const { status, headers } = await service.request('/v1/stream');
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
});

test('open streams do not count as requests in flight', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: '1' } });
  await openStream(service);
  await openStream(service);
  expect((await service.request('/v1/state?session_id=s1')).status).toBe(404);
});

test('a stream ends when its token expires or its key is revoked', async ({ service }) => {
  const { store, clock } = service;
  const { key, keyId } = await createKey(store.use(createKeyTable), { account: 'ending', tier: 'solo' }, clock.nowMs);
  const ofKey = await openStream({ ...service, key });
  const ofToken = await openStream(service, {}, bearer(await issueToken(service, { expires_in: 60 })));
  const lasting = await openStream(service);
  await revokeKey(store.use(createKeyTable), keyId, clock.nowMs);
  clock.advance(61);
  await until('both streams end', async () => ofKey.isEnded() && ofToken.isEnded());
  expect(lasting.isEnded()).toBe(false);
});

test('a client that does not read causes no query per event and does not delay other clients', async ({ service }) => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).pause();
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /v1/stream?last_event_id=0 HTTP/1.1\r\nHost: x\r\nX-Service-Key: ${service.key}\r\n\r\n`);
  const reader = await openStream(service);
  for (let index = 0; index < 50; index += 1) {
    await service.read({ heart_rate: 70 + (index % 2) });
    service.clock.advance(0.1);
  }
  expect(await reader.until(50)).toHaveLength(50);
});

test('erasing the subject at another process ends the streams of its sessions', async () => {
  const { one, calls } = await startTwoServices();
  const [, other] = calls;
  await other.read({ session_id: 's1', subject_id: 'anna', heart_rate: 70 });
  const stream = await openStream(one, { session_id: 's1' });
  const lasting = await openStream(one, { session_id: 's2' });
  await other.request('/v1/subjects/anna', { method: 'DELETE' });
  await until('the stream ends', async () => stream.isEnded());
  expect(stream.text()).toMatch(/retry: \d+\n\n$/);
  expect(lasting.isEnded()).toBe(false);
});

test('a client that connects again after a shutdown gets every later event from another process', async () => {
  const { one, two, calls } = await startTwoServices();
  const stream = await openStream(one);
  const first = await calls[1].read({ heart_rate: 70 });
  const [event] = await stream.until(1);
  expect(event?.data).toEqual(first);
  await one.close();
  one.clock.advance(1);
  const second = await calls[1].read({ heart_rate: 71 });
  const resumed = await openStream({ url: two.url, key: one.key }, { last_event_id: event?.id ?? '' });
  expect((await resumed.until(1)).map(({ data }) => data)).toEqual([second]);
});
