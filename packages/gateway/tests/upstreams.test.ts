import { expect, onTestFinished, test } from 'vitest';
import { ollamaParts, openModelUpstream, sendJson } from '../../../testkit/model-upstream.js';
import { readGatewayConfig } from '../config.js';
import { distress, type Stage, startStage } from './stage.js';

const chat = '/v1/chat/completions';
const message = { role: 'user', content: distress };
const body = (model = 'm') => JSON.stringify({ model, messages: [message] });
const added = "The person's current";
const none = { GATEWAY_OPENAI_URL: '', GATEWAY_ANTHROPIC_URL: '' };

/** Starts a gateway with the upstreams `a` and `b`, which are compatible with OpenAI. */
async function startWithTwo(env: Record<string, string> = {}) {
  const b = await openModelUpstream();
  onTestFinished(b.close);
  const GATEWAY_UPSTREAMS = `a=openai:$upstream, b=openai:${b.url}/base/v1`;
  const stage = await startStage({ ...none, GATEWAY_UPSTREAMS, ...env });
  const ask = async (model: string, headers = {}, path = chat) => {
    const response = await stage.post(path, body(model), { Authorization: 'Bearer key-of-a', ...headers });
    return [response.status, (await response.json()).error?.code];
  };
  return { ...stage, a: stage.upstream, b, ask };
}

test.each([
  ['openai', '/openai/v1/chat/completions', chat],
  ['openai', '/a/b/c/v1/responses', '/v1/responses'],
  ['anthropic', '/anthropic/v1/messages', '/v1/messages'],
  ['azure', '/openai/deployments/v1/chat/completions', '/openai/deployments/v1/chat/completions'],
  ['azure', '/openai/responses', '/openai/responses'],
  ['ollama', '/api/chat', '/api/chat'],
  ['ollama', '/ollama/api/chat', '/api/chat'],
])('an upstream of the kind %s gets a request to %s, adapted, at %s', async (kind, path, received) => {
  const { upstream, post } = await startStage({ ...none, GATEWAY_UPSTREAMS: `only=${kind}:$upstream` });
  const sent = JSON.stringify({ model: 'm', messages: [message], input: [message] });
  const response = await post(`${path}?api-version=2024-10-21`, sent, { 'api-key': 'model-key' });
  expect([response.status, response.headers.get('x-state-adapted')]).toEqual([200, 'true']);
  expect(upstream.requests).toMatchObject([
    { path: `${received}?api-version=2024-10-21`, headers: { 'api-key': 'model-key' } },
  ]);
  expect(upstream.requests[0]?.body).toContain(added);
});

test.each([
  ['openai', '/openai/v1/models'],
  ['anthropic', '/anthropic/v1/models'],
  ['azure', '/openai/deployments/d/embeddings'],
  ['ollama', '/api/tags'],
])('an upstream of the kind %s gets a request to %s unchanged', async (kind, path) => {
  const stage = await startStage({ ...none, GATEWAY_UPSTREAMS: `only=${kind}:$upstream` });
  const response = await stage.post(path, body());
  expect([response.status, response.headers.get('x-state-adapted')]).toEqual([200, 'false']);
  expect(stage.upstream.requests.map((it) => it.body)).toEqual([body()]);
});

test('X-LLM-Backend chooses the upstream and reaches none, and without it the client has to choose', async () => {
  const { a, b, ask } = await startWithTwo();
  expect(await ask('b/m')).toEqual([400, 'missing_backend']);
  expect(await ask('m', { 'X-LLM-Backend': 'b' })).toEqual([200, undefined]);
  expect(await ask('m', { 'X-LLM-Backend': 'b' }, '/v1/models')).toEqual([200, undefined]);
  expect(b.requests.map(({ path }) => path)).toEqual(['/base/v1/chat/completions', '/base/v1/models']);
  expect(b.requests.map(({ headers }) => headers['x-llm-backend'])).toEqual([undefined, undefined]);
  for (const name of ['c', 'B', 'a, b', 'a\tb', 'é', '__proto__', 'a'.repeat(10_000)])
    expect(await ask('m', { 'X-LLM-Backend': name })).toEqual([404, 'unknown_backend']);
  expect(await ask('m', { 'X-LLM-Backend': 'a' }, '/v1/messages')).toEqual([404, 'unknown_backend']);
  expect(a.requests).toEqual([]);
});

test('an upstream that has the name of its kind is its default', async () => {
  const { a, b, upstream, ask } = await startWithTwo({
    GATEWAY_OPENAI_URL: '$upstream/main',
    GATEWAY_SHARED_CREDENTIAL: 'a,b',
  });
  // The default does not share its credential.
  expect(await ask('b/m')).toEqual([200, undefined]);
  expect(upstream.requests.map(({ path }) => path)).toEqual(['/main/chat/completions']);
  expect(JSON.parse(a.requests[0]?.body ?? '').model).toBe('b/m');
  expect(b.requests).toEqual([]);
});

test('the model chooses among upstreams that share a credential, and loses the name', async () => {
  const { a, b, ask } = await startWithTwo({ GATEWAY_SHARED_CREDENTIAL: 'a,b' });
  for (const model of ['b/org/"m"', 'a/m', 'm', 'c/m']) expect(await ask(model)).toEqual([200, undefined]);
  expect(await ask('b/m', { 'X-LLM-Backend': 'a' })).toEqual([200, undefined]);
  const models = (upstream: typeof a) => upstream.requests.map((it) => JSON.parse(it.body).model);
  expect([models(a), models(b)]).toEqual([['m', 'm', 'c/m', 'b/m'], ['org/"m"']]);
  expect(b.requests[0]?.body).toContain(added);
});

test('what one upstream rejects, another one gets', async () => {
  const { a, b, ask } = await startWithTwo();
  a.respond((_, response) => sendJson(response, { error: { message: 'no system role' } }, 400));
  for (const name of ['a', 'b', 'a']) await ask('m', { 'X-LLM-Backend': name });
  const isAdapted = ({ body: sent }: { body: string }) => sent.includes(added);
  expect([a.requests.map(isAdapted), b.requests.map(isAdapted)]).toEqual([[true, false, false], [true]]);
});

test('Ollama gets no request that changes its models, and an error is a text, as its clients read it', async () => {
  const { upstream, post } = await startStage({ ...none, GATEWAY_UPSTREAMS: 'ollama=ollama:$upstream' });
  for (const path of ['pull', 'push', 'create', 'copy', 'delete', 'blobs/sha256:0', 'chat/', '../api/chat', '%63hat'])
    expect([path, (await post(`/api/${path}`, '{}')).status]).toEqual([path, path === '../api/chat' ? 200 : 404]);
  upstream.close();
  const { error } = await (await post('/api/chat', body())).json();
  expect(error).toBe('the gateway got no response from the model');
});

/** Sends a request whose response has these bytes. Resolves with the readings of the session afterwards. */
async function countReadings(stage: Stage, parts: readonly string[], type: string): Promise<number> {
  stage.upstream.respond((_, response) => {
    response.writeHead(200, { 'Content-Type': type });
    for (const part of parts) response.write(part);
    response.end();
  });
  expect(await (await stage.post('/api/chat', body())).text()).toBe(parts.join(''));
  await stage.close();
  return (await stage.scores(1)).length;
}

const lines = (content: string, more = {}) => ollamaParts(content, more).map((it) => `${JSON.stringify(it)}\n`);
const whole = lines('Which part?').join('');
const long = JSON.stringify({ ...ollamaParts('').at(-1), message: { content: 'Which part? '.repeat(50_000) } });
const call = { tool_calls: [{ function: { name: 'clock', arguments: {} } }] };

test.each<[string, readonly string[], string, number]>([
  ['one line per part', lines('Which part?'), 'application/x-ndjson', 2],
  ['lines cut anywhere', whole.match(/[^]{1,7}/g) ?? [], 'Application/X-NDJSON; charset=utf-8', 2],
  ['a line of several 100 kB', long.match(/[^]{1,9999}/g) ?? [], 'application/x-ndjson', 2],
  ['no end of the last line', [whole.trimEnd()], 'application/x-ndjson', 2],
  ['one object', [long], 'application/json', 2],
  ['no last line', lines('Which part?').slice(0, -1), 'application/x-ndjson', 1],
  ['an end in a line', [whole.slice(0, -9)], 'application/x-ndjson', 1],
  ['lines as one object', [whole], 'application/json', 1],
  ['no JSON', ['<html>\n', '{"done":true}\n', 'null\n7\n'], 'application/x-ndjson', 1],
  ['a tool call', lines('One moment.', call), 'application/x-ndjson', 1],
  ['over 8 MB', [...lines('Which part?').slice(0, 1), ' '.repeat(8_400_000), ...lines('x')], 'application/x-ndjson', 1],
])('of a response of Ollama with %s, a whole turn is read', async (_, parts, type, readings) => {
  const stage = await startStage({ ...none, GATEWAY_UPSTREAMS: 'ollama=ollama:$upstream' });
  expect(await countReadings(stage, parts, type)).toBe(readings);
});

test('a part of a response of Ollama arrives before the next one is sent', async () => {
  const { upstream, post } = await startStage({ ...none, GATEWAY_UPSTREAMS: 'ollama=ollama:$upstream' });
  let next: (() => void) | undefined;
  upstream.respond(async (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).write('{"message":{"content":"W"}}\n');
    await new Promise<void>((resolve) => (next = resolve));
    response.end();
  });
  const reader = (await post('/api/chat', body())).body?.getReader();
  expect(String(Buffer.from((await reader?.read())?.value ?? []))).toContain('"W"');
  next?.();
});

test.each([
  ...['user@api.example', ':secret@api.example', 'api.example?key=secret', 'api.example#secret'].map(
    (it): [string, RegExp] => [
      `a=openai:https://${it}`,
      /^GATEWAY_UPSTREAMS must be an http or https URL without a user/,
    ],
  ),
  ['a=vertex:https://secret.example', /^GATEWAY_UPSTREAMS must be NAME=KIND:URL, .*: see number 1$/],
  ['a=openai:http://x,https://user:secret@y', /^GATEWAY_UPSTREAMS must be NAME=KIND:URL, .*: see number 2$/],
  ['a=openai:file:///secret', /^GATEWAY_UPSTREAMS must be an http or https URL/],
  ['A b=openai:http://secret', /^GATEWAY_UPSTREAMS must be NAME=KIND:URL/],
  ['a=openai:http://x,a=azure:http://secret', /^GATEWAY_UPSTREAMS has the name a twice/],
  ['openai=azure:http://secret', /^GATEWAY_UPSTREAMS has the name openai twice, or with GATEWAY_OPENAI_URL/],
])('GATEWAY_UPSTREAMS=%s stops the start, and the error contains no URL', (GATEWAY_UPSTREAMS, error) => {
  const read = () => readGatewayConfig({ GATEWAY_OPENAI_URL: 'http://z', GATEWAY_UPSTREAMS });
  expect(read).toThrow(error);
  expect(read).not.toThrow(/secret/);
});

test('GATEWAY_SHARED_CREDENTIAL names upstreams, and an origin of a page is exact', () => {
  const read = (env: object) => () => readGatewayConfig({ GATEWAY_OPENAI_URL: 'http://z', ...env });
  expect(read({ GATEWAY_SHARED_CREDENTIAL: 'openai,b' })).toThrow(
    'GATEWAY_SHARED_CREDENTIAL names no upstream with "b"',
  );
  for (const origin of ['*', 'https://a.example/', 'null', 'a.example', 'https://*.example'])
    expect([origin, read({ GATEWAY_CORS_ORIGINS: origin })]).toEqual([origin, expect.any(Function)]);
  for (const origin of ['*', 'https://a.example/', 'null', 'a.example'])
    expect(read({ GATEWAY_CORS_ORIGINS: origin })).toThrow(/^GATEWAY_CORS_ORIGINS must be comma-separated origins/);
});
