import { createKey, type KeyOptions, revokeKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { openStream } from '../../testkit/event-source.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { startTwoServices } from '../../testkit/two-services.js';
import { until } from '../../testkit/until.js';
import { connectAgent } from '../../testkit/mcp-tools.js';

const calm = { heart_rate: 60, tone: 'calm', expression: 'relaxed', sentiment: 0.9 } as const;
const stressed = { heart_rate: 120, tone: 'hostile', expression: 'tense', sentiment: -1 } as const;

type Server = Pick<TestService, 'url' | 'key'>;

/** Connects the official client. Returns it with the URIs of the updates that it received. */
async function connect({ url, key }: Server, era: 'auto' | 'legacy' = 'auto') {
  const agent = await connectAgent({ url, key }, { era });
  const updates: string[] = [];
  agent.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
  return { agent, updates };
}

const uriOf = (session: string) => `state://sessions/${encodeURIComponent(session)}`;

/** Subscribes to the states of sessions. */
async function subscribe(server: Server, ...sessions: string[]) {
  const { agent, updates } = await connect(server);
  const subscription = await agent.listen({ resourceSubscriptions: sessions.map(uriOf) });
  return { agent, updates, subscription };
}

/** Sends a calm reading, then a stressed reading, which changes the state. */
async function change({ read, clock }: Pick<TestService, 'read' | 'clock'>, session_id: string) {
  await read({ session_id, ...calm });
  clock.advance(2);
  await read({ session_id, ...stressed });
  clock.advance(2);
}

test('a subscriber gets one update per state change of its sessions, and reads the new state', async ({ service }) => {
  const { agent, updates, subscription } = await subscribe(service, 's1', 'shop/2');
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uriOf('s1'), uriOf('shop/2')] });
  await service.read({ session_id: 's1', ...calm });
  await service.read({ session_id: 's1', ...calm, heart_rate: 61 });
  for (const session_id of ['other', 's1', 'shop/2']) await change(service, session_id);
  await until('both updates arrive', async () => updates.length >= 2);
  expect(updates).toEqual([uriOf('s1'), uriOf('shop/2')]);
  const { contents } = await agent.readResource({ uri: uriOf('shop/2') });
  expect(contents).toMatchObject([{ text: expect.stringContaining('"state":"') }]);
  await subscription.close();
});

test('a subscriber gets the state changes of another process', async () => {
  const { one, calls, clock } = await startTwoServices();
  const { updates } = await subscribe(one, 's1');
  await change({ read: calls[1].read, clock }, 's1');
  await until('the update arrives', async () => updates.length > 0);
  expect(updates).toEqual([uriOf('s1')]);
});

test('a subscriber of another account gets no update', async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  const { updates } = await subscribe(stranger, 's1', 's2');
  await change(owner, 's1');
  await change(stranger, 's2');
  await until('the own update arrives', async () => updates.length > 0);
  expect(updates).toEqual([uriOf('s2')]);
});

test('each session of a subscription is a stream of the key, until the client disconnects', async () => {
  const service = await startTestService({ env: { LIMIT_STREAMS_PER_KEY: '3' } });
  const { agent } = await subscribe(service, 's1', 's2');
  await expect(subscribe(service, 's3', 's4')).rejects.toThrow('"violated_policies":["streams"]');
  const stream = await openStream(service);
  expect(stream.response.status).toBe(200);
  await stream.close();
  await agent.close();
  await until('the streams are free', async () =>
    subscribe(service, 's3', 's4', 's5').then(
      () => true,
      () => false,
    ),
  );
});

test('subscriptions are not requests in flight', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: '2' } });
  for (const session of ['s1', 's2', 's3']) await subscribe(service, session);
  expect((await service.request('/v1/state?session_id=s1')).status).toBe(404);
});

test('a subscription ends with its key, and a shutdown ends all of them', async ({ ownService: service }) => {
  const { store, clock } = service;
  const { key, keyId } = await createKey(store.use(createKeyTable), { account: 'ending', tier: 'solo' }, clock.nowMs);
  const [revoked, lasting] = [await subscribe({ url: service.url, key }, 's1', 's2'), await subscribe(service, 's1')];
  await revokeKey(store.use(createKeyTable), keyId, clock.nowMs);
  expect(await revoked.subscription.closed).toBe('graceful');
  await change(service, 's1');
  await until('the update arrives', async () => lasting.updates.length > 0);
  await service.close();
  expect(await lasting.subscription.closed).toBe('graceful');
});

test('erasing the person ends the subscription to the session', async ({ service }) => {
  await service.read({ session_id: 's1', subject_id: 'anna', heart_rate: 70 });
  const { subscription } = await subscribe(service, 's1');
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect(await subscription.closed).toBe('graceful');
});

test.each<[string, KeyOptions['scopes'], string]>([
  [uriOf('s1'), ['ingest'], 'insufficient_scope'],
  [uriOf('é'), ['read'], 'validation_failed'],
  ['file:///etc/passwd', ['read'], 'Input should match state://sessions/{session_id}'],
])('a subscription to %s with the scopes %j is rejected with %s', async (uri, scopes, text) => {
  const service = await startTestService();
  const { key } = await makeAccount(service, `scoped-${text}`, 'solo', { scopes });
  const { agent } = await connect({ url: service.url, key });
  await expect(agent.listen({ resourceSubscriptions: [uri] })).rejects.toThrow(text);
});

test('a subscription has at most 100 sessions', async ({ service }) => {
  const sessions = Array.from({ length: 101 }, (_, index) => `s${index}`);
  await expect(subscribe(service, ...sessions)).rejects.toThrow('at most 100 items');
  const { subscription } = await subscribe(service, ...sessions.slice(1), 's1');
  await subscription.close();
});

test('a client of the revisions of 2025 learns that there are no subscriptions', async () => {
  const { agent } = await connect(await startTestService(), 'legacy');
  expect(agent.getServerCapabilities()?.resources).toEqual({ subscribe: false });
  await expect(agent.subscribeResource({ uri: uriOf('s1') })).rejects.toThrow();
});

test('comments keep an idle subscription open', async () => {
  const { url, key } = await startTestService({ heartbeatMs: 20 });
  const listen = { method: 'subscriptions/listen', id: 1, jsonrpc: '2.0' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { _meta, notifications: { resourceSubscriptions: [uriOf('s1')] } };
  const headers = {
    'X-Service-Key': key,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Mcp-Protocol-Version': '2026-07-28',
    'Mcp-Method': listen.method,
  };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const body = JSON.stringify({ ...listen, params });
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body, signal: stop.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if ((text.match(/^:$/gm) ?? []).length >= 3) break;
  }
  expect(text).toMatch(/^event: message\ndata: .*subscriptions\/acknowledged.*\n\n(:\n\n)+/);
});
