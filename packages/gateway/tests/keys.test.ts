import { createKeyTable } from '../../../src/store/keys.js';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createKey, revokeKey } from '../../../src/keys/manage.js';
import { injectFaults, startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { chatResponse, sendJson } from '../../../testkit/model-upstream.js';
import { openSocket, type OpenSocket } from '../../../testkit/open-socket.js';
import { startTestService } from '../../../testkit/service.js';
import { issueToken } from '../../../testkit/tokens.js';
import { until } from '../../../testkit/until.js';
import { distress, type Stage, startStage } from './stage.js';

const path = '/v1/chat/completions';
const message = (content = distress) => JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
const megabyte = 1_000_000;

/** Declares a body of one megabyte and sends all of it except for its end. */
async function holdUpload({ url, headers }: Stage, key: string): Promise<OpenSocket> {
  const opened = openSocket(url);
  await once(opened.socket, 'connect');
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Content-Length: ${megabyte}`,
    ...Object.entries({ ...headers, 'X-State-Key': key }).map(([name, value]) => `${name}: ${value}`),
  ];
  opened.socket.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(megabyte - 1)}`);
  return opened;
}

test('uploads with rejected keys get a 401 before their end, and do not disturb another caller', async () => {
  const stage = await startStage({ GATEWAY_MAX_BODY_MB: '1' });
  const uploads = await Promise.all(
    Array.from({ length: 20 }, (_, index) => holdUpload(stage, `sk_${String(index).padStart(32, '0')}`)),
  );
  expect((await stage.post(path, message())).headers.get('x-state-adapted')).toBe('true');
  await until('all have a 401', () => uploads.every(({ received }) => received().startsWith('HTTP/1.1 401 ')));
  for (const { received } of uploads) expect(received()).toContain('"code":"invalid_state_key"');
  expect(stage.upstream.requests).toHaveLength(1);
});

test('a client that expects a 100 Continue sends no body for a rejected key', async () => {
  const stage = await startStage();
  const ask = async (key: string): Promise<string> => {
    const { socket } = openSocket(stage.url);
    const state = `X-State-Key: ${key}\r\nX-State-Session: s1\r\n`;
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${state}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    return String((await once(socket, 'data'))[0]);
  };
  expect(await ask(stage.service.key)).toMatch(/^HTTP\/1\.1 100 /);
  expect(await ask('nothing')).toMatch(/^HTTP\/1\.1 401 /);
});

test('uploads with a valid key that stay open leave memory for other callers', async () => {
  const stage = await startStage({ GATEWAY_MAX_BODY_MB: '1' });
  const uploads = await Promise.all(Array.from({ length: 12 }, () => holdUpload(stage, stage.service.key)));
  const refused = () => uploads.filter(({ received }) => received().startsWith('HTTP/1.1 503 '));
  await until('the caller is over its share', () => refused().length > 0);
  const other = await startTestService();
  const response = await stage.post(path, message(), { 'X-State-Key': other.key });
  expect([response.status, response.headers.get('x-state-adapted')]).toEqual([200, 'true']);
  for (const { socket } of uploads) socket.destroy();
  const body = message().padEnd(megabyte);
  await until('the share is free', async () => (await stage.post(path, body)).status === 200);
});

test.each(['slow', 'dropped', 'bad gateway', 'rate limited'] as const)(
  'a key that was not valid within the last minute is a 503 while the service is %s',
  async (fault) => {
    const { service } = await startStage();
    const proxy = await startFaultyProxy(service.url);
    const { upstream, post } = await startStage({ GATEWAY_STATE_TIMEOUT_MS: '300' }, proxy);
    await injectFaults(proxy, [fault]);
    const response = await post(path, message());
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await response.json()).error.code).toBe('state_key_not_checked');
    expect(upstream.requests).toEqual([]);
    await until('the key is valid', async () => (await post('/v1/models', '')).status === 200);
    const realNow = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + 61_000);
    onTestFinished(() => clock.mockRestore());
    await injectFaults(proxy, [fault]);
    expect((await post(path, message())).status).toBe(503);
  },
);

test('a revoked key gets no remembered state', async () => {
  const { service, post } = await startStage();
  const keys = service.store.use(createKeyTable);
  const { key, keyId } = await createKey(keys, { account: 'revoked', tier: 'enterprise' }, service.clock.nowMs);
  const own = { 'X-State-Key': key };
  expect((await post(path, message(), own)).headers.get('x-state')).toBe('stressed');
  await revokeKey(keys, keyId, service.clock.nowMs);
  const headers = { 'X-Service-Key': key };
  const read = () => service.request('/v1/state?session_id=s1', { headers });
  await until('the service knows', async () => (await read()).status === 401);
  const again = await post(path, message(), own);
  expect([again.status, again.headers.get('x-state')]).toEqual([401, null]);
});

test('an erased person gets no remembered state', async () => {
  const { service, upstream, post } = await startStage();
  expect((await post(path, message())).headers.get('x-state')).toBe('stressed');
  await until(
    'the turn is sent',
    async () => 'exams' in (await service.request('/v1/triggers?subject_id=anna')).body.triggers,
  );
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  const again = await post(path, message());
  expect([again.headers.get('x-state'), again.headers.get('x-state-skipped')]).toEqual([null, 'no_data']);
  expect(upstream.requests.at(-1)?.body).toBe(message());
  expect((await service.request('/v1/state?session_id=s1')).status).toBe(404);
});

test('a turn that ends after the erasure of its person is not stored', async () => {
  const { service, upstream, post, logs } = await startStage();
  upstream.respond(async (_, response) => {
    service.clock.nowMs = Date.now();
    await service.request('/v1/subjects/anna', { method: 'DELETE' });
    sendJson(response, chatResponse({ role: 'assistant', content: 'Which part?' }, 'stop'));
  });
  await (await post(path, message())).text();
  await until('the turn is rejected', () => logs.join('').includes('"reason":"subject_erased"'));
  expect((await service.request('/v1/state?session_id=s1')).status).toBe(404);
  expect((await post(path, message())).headers.get('x-state')).toBe(null);
});

test('the gateway ends after it has sent a turn again that the service did not accept', async () => {
  const { url } = await startTestService();
  const proxy = await startFaultyProxy(url);
  const { upstream, post, scores, close } = await startStage({}, proxy);
  upstream.respond(async (_, response) => {
    // The next request is the turn.
    await injectFaults(proxy, ['bad gateway', 'unavailable', 'rate limited']);
    sendJson(response, chatResponse({ role: 'assistant', content: 'Which part?' }, 'stop'));
  });
  await (await post(path, message())).text();
  await close();
  expect(await scores(1)).toHaveLength(2);
});

test('an error and a compressed response are not read as the response of a turn', async () => {
  const { upstream, post, scores, close } = await startStage();
  const said = chatResponse({ role: 'assistant', content: 'Which part?' }, 'stop');
  upstream.respond(
    (_, response) => sendJson(response, said, 429),
    (_, response) => sendJson(response, said, 200, { 'Content-Encoding': 'identity' }),
  );
  for (const text of [distress, `Again: ${distress}`]) await (await post(path, message(text))).text();
  await close();
  expect(await scores(2)).toHaveLength(2);
});

test('another credential gets no remembered state of the same message', async () => {
  const { upstream, post } = await startStage();
  await post(path, message());
  const other = await startTestService();
  await post(path, message(), { 'X-State-Key': other.key });
  expect((await other.request('/v1/history?session_id=s1')).body.datapoints.length).toBeGreaterThan(0);
  expect(upstream.requests).toHaveLength(2);
});

test('a message that gets two responses is one turn, and the turn has the timestamp of its message', async () => {
  const { service, upstream, post, scores } = await startStage();
  for (const content of ['Which part?', 'Another response.']) {
    upstream.respond(async (_, response) => {
      await sleep(20);
      sendJson(response, chatResponse({ role: 'assistant', content }, 'stop'));
    });
    await (await post(path, message())).text();
    await scores(2);
  }
  await (await post(path, message('Thanks.'))).text();
  expect(await scores(4)).toHaveLength(4);
  const { datapoints } = (await service.request('/v1/history?session_id=s1')).body;
  const timestamps = datapoints.map((it: { timestamp: string }) => it.timestamp);
  expect(new Set(timestamps).size).toBe(2);
});

test('a token that may only send readings gets the state of its messages, also after a tool call', async () => {
  const { service, post } = await startStage();
  const token = await issueToken(service, { subject_id: 'anna', scopes: ['ingest'] });
  const own = { 'X-State-Key': token };
  expect((await post(path, message(), own)).headers.get('x-state')).toBe('stressed');
  const call = { id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } };
  const messages = [
    { role: 'user', content: distress },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '12:00' },
  ];
  expect((await post(path, JSON.stringify({ model: 'm', messages }), own)).headers.get('x-state')).toBe('stressed');
});
