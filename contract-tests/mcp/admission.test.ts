import { createKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { callsInDatabase, makeAccount } from '../../testkit/calls.js';
import { openRequest } from '../../testkit/open-request.js';
import { ample, client, startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const toolCall = (name: string, args: object) => ({ ...list, method: 'tools/call', params: { name, arguments: args } });
const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** Posts a message to /mcp. Resolves with the status, the headers and the body as text. */
async function postMcp({ url, key }: Pick<TestService, 'url' | 'key'>, message: unknown, headers = {}) {
  const sent = { 'X-Service-Key': key, ...types, ...headers };
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: sent, body: JSON.stringify(message) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('requests to /mcp over MAX_REQUESTS get a 503', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: '1' } });
  const held = await openRequest(service);
  expect(await postMcp(service, list)).toMatchObject({ status: 503 });
  expect(await held()).toBe(200);
  expect(await postMcp(service, list)).toMatchObject({ status: 200 });
});

test('a tool call is one request in flight, and one call of the month', async () => {
  const service = await startTestService({ env: { ...ample, MAX_REQUESTS: '1' } });
  await service.read({ heart_rate: 95 });
  const { text } = await postMcp(service, toolCall('get_human_state', { session_id: 's1' }));
  expect(text).toContain('recommendation');
  await postMcp(service, list);
  await expect.poll(() => callsInDatabase(service, service.accountId)).toBe(3);
});

test('a request to /mcp beyond the calls of the month gets a 429', async () => {
  const service = await startTestService({ env: { LIMIT_MONTHLY_CALLS: '2' } });
  const { key } = await makeAccount(service, 'month-of-mcp', 'free');
  const metered = { url: service.url, key };
  expect((await postMcp(metered, toolCall('list_sessions', {}))).text).toContain('next_cursor');
  const last = await postMcp(metered, list);
  expect([last.status, last.headers.get('RateLimit')]).toEqual([200, expect.stringMatching(/^"month";r=0;/)]);
  const refused = await postMcp(metered, list);
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('"violated_policies":["month"]') });
});

test('an account has at most half of MAX_REQUESTS in flight, and the other half stays free for other accounts', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: '5' } });
  const held = [await openRequest(service), await openRequest(service)];
  for (const refused of [await postMcp(service, list), await service.request('/v1/sessions')]) {
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1']);
    expect('text' in refused ? refused.text : JSON.stringify(refused.body)).toContain(
      '"violated_policies":["requests"]',
    );
  }
  const { key } = await makeAccount(service, 'neighbor', 'solo');
  expect((await client(service.url, key, service.clock).request('/v1/sessions')).status).toBe(200);
  for (const finish of held) expect(await finish()).toBe(200);
  expect((await postMcp(service, list)).status).toBe(200);
});

test('a JSON array is rejected, and none of its messages runs', async ({ service }) => {
  const reading = { session_id: 'of-array', heart_rate: 80 };
  const { status, text } = await postMcp(service, [toolCall('ingest', reading), list]);
  expect([status, JSON.parse(text).code]).toEqual([400, 'invalid_payload']);
  expect((await service.request('/v1/state?session_id=of-array')).status).toBe(404);
});

test('a web page of a foreign origin gets a 403 first, and a configured origin is served', async () => {
  const origin = 'https://app.example.com';
  const service = await startTestService({ env: { CORS_ORIGINS: origin, MAX_REQUESTS: '1' } });
  const { host } = new URL(service.url);
  const held = await openRequest(service);
  for (const foreign of ['https://evil.example.com', 'null', `http://${host}`, `${origin}.evil.example.com`]) {
    const { status, text } = await postMcp({ ...service, key: 'none' }, list, { Origin: foreign });
    expect([foreign, status, JSON.parse(text).code]).toEqual([foreign, 403, 'origin_not_allowed']);
  }
  await held();
  expect((await postMcp(service, list, { Origin: origin })).status).toBe(200);
  expect((await service.request('/v1/sessions', { headers: { Origin: 'https://evil.example.com' } })).status).toBe(200);
});

test('a key that is restricted to other networks is rejected at /mcp', async () => {
  const service = await startTestService({ env: { TRUST_PROXY: '1' } });
  const options = { account: 'restricted', tier: 'solo', networks: ['192.0.2.0/24'] } as const;
  const { key } = await createKey(service.store.use(createKeyTable), options, service.clock.nowMs);
  const from = (address: string) => postMcp({ ...service, key }, list, { 'X-Forwarded-For': address });
  expect([(await from('192.0.2.7')).status, (await from('198.51.100.7')).status]).toEqual([200, 401]);
});

test.each(['GET', 'DELETE'])('%s on /mcp gets a response that ends, because there are no sessions', async (method) => {
  const { url, key } = await startTestService();
  const headers = { 'X-Service-Key': key, Accept: 'text/event-stream' };
  const response = await fetch(`${url}/mcp`, { method, headers, signal: AbortSignal.timeout(5_000) });
  expect([response.status, await response.text()]).toEqual([405, expect.stringContaining('not allowed')]);
});

test('a tool call has its own log line, in addition to that of the request to /mcp', async () => {
  const service = await startTestService({});
  await postMcp(service, toolCall('get_human_state', { session_id: 'absent' }));
  await expect.poll(() => service.logs.join('')).toContain('"status":200');
  const lines = service.logs.map((it) => JSON.parse(it)).filter(({ msg }) => msg === 'request');
  expect(lines.map(({ operation, status, aborted }) => ({ operation, status, aborted }))).toEqual([
    { operation: 'getState', status: 404, aborted: undefined },
    { operation: undefined, status: 200, aborted: undefined },
  ]);
});
