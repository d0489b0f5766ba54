import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ollama } from 'ollama';
import OpenAI, { type APIError } from 'openai';
import { expect, test } from 'vitest';
import {
  anthropicMessage,
  chatChunk,
  chatResponse,
  formatEvent,
  sendEvents,
  sendJson,
} from '../../../../testkit/model-upstream.js';
import { issueToken } from '../../../../testkit/tokens.js';
import { distress } from '../stage.js';
import { startSdkStage } from './sdk-stage.js';

const ask = (content = distress) => ({ model: 'm', messages: [{ role: 'user' as const, content }] });
const claude = (content = distress) => ({ ...ask(content), max_tokens: 100 });
const parsed = (request: { body: string } | undefined) => JSON.parse(request?.body ?? '{}');

test('the OpenAI package gets a model that knows the state, and the turn yields topics and counts its sentiment once', async () => {
  const { service, upstream, openai, scores, logs } = await startSdkStage();
  const { data, response } = await openai().chat.completions.create(ask()).withResponse();
  expect(data.choices[0]?.message.content).toBe('Which part worries you?');
  expect(Object.fromEntries(response.headers)).toMatchObject({ 'x-state': 'stressed', 'x-state-adapted': 'true' });
  const [request] = upstream.requests;
  const { messages } = parsed(request);
  expect(messages.at(-1)).toEqual({ role: 'user', content: distress });
  expect(messages[0].role).toBe('system');
  expect(messages[0].content).toMatch(/"stressed"\. Reason: Strongly negative words\. Answer in at most two short/);
  expect(request?.headers).toMatchObject({ authorization: 'Bearer model-key', host: new URL(upstream.url).host });
  expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-state'))).toEqual([]);
  const [first, turn] = await scores(2);
  expect(turn).toBe(first);
  expect(Object.keys((await service.request('/v1/triggers?subject_id=anna')).body.triggers)).toContain('exams');
  expect(logs.join('')).not.toMatch(/panic|worries|model-key|sk_|stressed/);
});

test('a stream of the OpenAI package passes without buffering, and its tool calls keep one message and one instruction', async () => {
  const { upstream, openai, scores } = await startSdkStage();
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } };
  let received: (() => void) | undefined;
  upstream.respond(async (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(formatEvent(chatChunk({ role: 'assistant', tool_calls: [call] })));
    // The rest follows only when the client has the first part.
    await new Promise<void>((resolve) => (received = resolve));
    response.end(formatEvent(chatChunk({}, 'tool_calls')) + formatEvent('[DONE]'));
  });
  const first = await openai().chat.completions.create({ ...ask(), stream: true });
  const names: unknown[] = [];
  for await (const { choices } of first) {
    names.push(choices[0]?.delta.tool_calls?.[0]?.function?.name ?? choices[0]?.finish_reason);
    received?.();
  }
  expect(names).toEqual(['clock', 'tool_calls']);
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    ...ask().messages,
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'I panic. 12:00' },
  ];
  let text = '';
  for await (const { choices } of await openai().chat.completions.create({ model: 'm', messages, stream: true }))
    text += choices[0]?.delta.content ?? '';
  expect(text).toBe('Which part worries you?');
  const [one, two] = upstream.requests.map(parsed);
  expect(two.messages.slice(1)).toEqual(messages);
  expect(two.messages[0]).toEqual(one.messages[0]);
  expect(await scores(2)).toHaveLength(2);
});

test('the Anthropic package keeps the cached blocks, images and tools of a request', async () => {
  const { service, upstream, anthropic, scores } = await startSdkStage();
  const system = [{ type: 'text' as const, text: 'You are a coach.', cache_control: { type: 'ephemeral' as const } }];
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'aGk=' };
  const content = [
    { type: 'text' as const, text: distress },
    { type: 'image' as const, source },
  ];
  const tools = [{ name: 'clock', input_schema: { type: 'object' as const } }];
  const use = { type: 'tool_use' as const, id: 't1', name: 'clock', input: {} };
  upstream.respond((_, response) => sendJson(response, anthropicMessage([use], 'tool_use')));
  const message = { role: 'user' as const, content };
  const body = { model: 'm', max_tokens: 100, system, tools };
  const first = await anthropic().messages.create({ ...body, messages: [message] });
  expect(first.content).toEqual([use]);
  const result = { type: 'tool_result' as const, tool_use_id: 't1', content: 'I panic. 12:00' };
  const messages = [
    message,
    { role: 'assistant' as const, content: [use] },
    { role: 'user' as const, content: [result] },
  ];
  const stream = anthropic().messages.stream({ ...body, messages });
  expect(await stream.finalText()).toBe('Which part worries you?');
  const [one, two] = upstream.requests.map(parsed);
  expect(one.system).toEqual([...system, { type: 'text', text: expect.stringContaining('"stressed"') }]);
  expect(two).toEqual({ ...body, messages, system: one.system, stream: true });
  expect(upstream.requests[0]?.headers).toMatchObject({ authorization: 'Bearer model-key' });
  expect(await scores(2)).toHaveLength(2);
  expect(Object.keys((await service.request('/v1/triggers?subject_id=anna')).body.triggers)).toContain('exams');
});

test('the Responses API of the OpenAI package gets the state in its instructions', async () => {
  const { upstream, openai, scores } = await startSdkStage();
  const { output_text } = await openai().responses.create({
    model: 'm',
    instructions: 'You are a "coach".',
    input: distress,
  });
  expect(output_text).toBe('Which part worries you?');
  expect(parsed(upstream.requests[0])).toMatchObject({
    instructions: expect.stringMatching(/^You are a "coach"\.\n\nThe person's current stress state is "stressed"\./),
    input: distress,
  });
  const events: string[] = [];
  const stream = await openai().responses.create({ model: 'm', input: 'It is better now.', stream: true });
  for await (const { type } of stream) events.push(type);
  expect(events.at(-1)).toBe('response.completed');
  expect(await scores(4)).toHaveLength(4);
});

test('a cancelled stream ends the request to the model, and no turn is sent', async () => {
  const { upstream, openai, scores } = await startSdkStage();
  let closed: Promise<unknown> | undefined;
  upstream.respond((_, response) => {
    closed = once(response, 'close');
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(formatEvent(chatChunk({ content: 'Which' })));
  });
  const stream = await openai().chat.completions.create({ ...ask(), stream: true });
  for await (const { choices } of stream) {
    expect(choices[0]?.delta.content).toBe('Which');
    break;
  }
  await closed;
  await openai().chat.completions.create(ask('Thanks.'));
  expect(await scores(3)).toHaveLength(3);
});

test.each([
  [401, 'AuthenticationError', {}],
  [429, 'RateLimitError', { 'retry-after': '7' }],
  [500, 'InternalServerError', {}],
])('the error %i of the model passes with its body and headers', async (status, name, headers) => {
  const { upstream, openai, anthropic } = await startSdkStage();
  const error = { type: 'error', error: { type: 'from_model', message: 'No.' } };
  // A 500 is that of the original too.
  for (let count = 0; count < 4; count += 1)
    upstream.respond((_, response) => sendJson(response, error, status, headers));
  const calls: Array<() => Promise<unknown>> = [
    () => openai().chat.completions.create(ask()),
    () => anthropic().messages.create(claude()),
  ];
  for (const call of calls) {
    const failed = await call().then(
      () => undefined,
      (it: APIError) => it,
    );
    expect(failed).toMatchObject({ status, constructor: expect.objectContaining({ name }) });
    expect(failed?.message).toContain('No.');
    expect(Object.fromEntries(failed?.headers ?? [])).toMatchObject(headers);
  }
});

test('a message that an SDK sends again after an error counts once', async () => {
  const { upstream, openai, scores } = await startSdkStage();
  upstream.respond((_, response) => sendJson(response, {}, 503, { 'retry-after-ms': '1' }));
  await openai({}, 1).chat.completions.create(ask());
  expect(upstream.requests).toHaveLength(2);
  expect(upstream.requests[1]?.body).toBe(upstream.requests[0]?.body);
  expect(await scores(2)).toHaveLength(2);
});

test('a model that does not respond ends in a 504, and a model that stops in a stream ends the stream', async () => {
  const { upstream, openai, anthropic } = await startSdkStage({ GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '1' });
  upstream.respond(() => sleep(0));
  await expect(openai().chat.completions.create(ask())).rejects.toMatchObject({
    status: 504,
    code: 'upstream_timeout',
  });
  upstream.respond((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(formatEvent({ type: 'ping' }));
  });
  await expect(anthropic().messages.stream(claude()).finalText()).rejects.toThrow();
});

test('an unreachable model is a 502', async () => {
  const { openai } = await startSdkStage({ GATEWAY_OPENAI_URL: 'http://127.0.0.1:9/v1' });
  await expect(openai().chat.completions.create(ask())).rejects.toMatchObject({
    status: 502,
    code: 'upstream_unavailable',
  });
});

test('a caller without a key, or with a key or token that the service rejects, gets a 401 and reaches no model', async () => {
  const { service, upstream, url, openai, anthropic, headers, post } = await startSdkStage();
  const { 'X-State-Key': _, ...withoutKey } = headers;
  const anonymous = new OpenAI({
    apiKey: 'model-key',
    baseURL: `${url}/v1`,
    maxRetries: 0,
    defaultHeaders: withoutKey,
  });
  await expect(anonymous.chat.completions.create(ask())).rejects.toMatchObject({
    status: 401,
    code: 'missing_state_key',
  });
  const foreignToken = await issueToken(service, { session_id: 'other' });
  for (const key of ['sk_00000000000000000000000000000000', foreignToken, 'nothing']) {
    const refused = { status: 401, code: 'invalid_state_key' };
    await expect(openai({ 'X-State-Key': key }).chat.completions.create(ask())).rejects.toMatchObject(refused);
    await expect(openai({ 'X-State-Key': key }).models.list()).rejects.toMatchObject(refused);
    const call = anthropic({ 'X-State-Key': key }).messages.create(claude());
    await expect(call).rejects.toMatchObject({ status: 401, message: expect.stringContaining('X-State-Key') });
  }
  const withoutSession = await post('/v1/messages', '{}', { 'X-State-Session': 'two words' });
  expect([withoutSession.status, (await withoutSession.json()).error.code]).toEqual([400, 'invalid_state_session']);
  expect(upstream.requests).toEqual([]);
});

test('a session token is enough, and a token that may only read adds the state without sending a text', async () => {
  const { service, upstream, openai, scores } = await startSdkStage();
  const token = await issueToken(service, { subject_id: 'anna' });
  await openai({ 'X-State-Key': token }).chat.completions.create(ask());
  expect(await scores(2)).toHaveLength(2);
  const reader = await issueToken(service, { scopes: ['read'] });
  await openai({ 'X-State-Key': reader }).chat.completions.create(ask('Thanks.'));
  expect(parsed(upstream.requests[1]).messages[0].content).toContain('"stressed"');
  expect(await scores(2)).toHaveLength(2);
});

test('the model gets active triggers only with GATEWAY_SHARE_TRIGGERS=1', async () => {
  const instructions: string[] = [];
  for (const GATEWAY_SHARE_TRIGGERS of ['0', '1']) {
    const { service, upstream, openai } = await startSdkStage({ GATEWAY_SHARE_TRIGGERS });
    const turn = { user_message: distress, ai_response: 'Which part?', subject_id: 'anna' };
    for (const seconds of [-60, -30])
      await service.read({ ...turn, tone: 'hostile', sentiment: -1, timestamp: service.clock.at(seconds) });
    await openai().chat.completions.create(ask());
    instructions.push(parsed(upstream.requests[0]).messages[0].content);
  }
  expect(instructions[0]).not.toContain('exams');
  expect(instructions[1]).toMatch(/Topics that go with more stress: .*exams/);
});

test('a message about a danger is reported in a header, and its guidance comes before the recommendation', async () => {
  const { upstream, anthropic, logs } = await startSdkStage();
  const { response } = await anthropic().messages.create(claude('I want to kill myself tonight.')).withResponse();
  expect(response.headers.get('x-state-safety')).toBe('suicidal_thoughts');
  expect(parsed(upstream.requests[0]).system).toMatch(/Follow your crisis procedure\. \w/);
  expect(logs.join('')).not.toContain('suicid');
});

test('further paths of both APIs pass unchanged to their upstream, and other paths are a 404', async () => {
  const { upstream, openai, anthropic, post } = await startSdkStage();
  upstream.respond((_, response) => sendJson(response, { object: 'list', data: [{ id: 'm' }] }));
  expect((await openai().models.list()).data).toEqual([{ id: 'm' }]);
  await anthropic().models.list();
  expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/models', '/v1/models']);
  expect(upstream.requests[1]?.headers).toHaveProperty('anthropic-version');
  for (const path of ['/', '/v2/chat', '/v1/..%2fadmin', '/v1/a%2e/b'])
    expect([path, (await post(path, '{}')).status]).toEqual([path, 404]);
  expect(upstream.requests).toHaveLength(2);
});

test('a tool call in one response and a choice of two are read correctly', async () => {
  const { upstream, openai, scores } = await startSdkStage();
  const call = { id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } };
  upstream.respond((_, response) =>
    sendJson(response, chatResponse({ role: 'assistant', content: 'One moment.', tool_calls: [call] }, 'tool_calls')),
  );
  await openai().chat.completions.create(ask());
  upstream.respond((_, response) =>
    sendEvents(response, [
      { ...chatChunk({}), choices: [{ index: 1, delta: { content: 'No' }, finish_reason: 'stop' }] },
    ]),
  );
  for await (const _ of await openai().chat.completions.create({ ...ask('And now?'), n: 2, stream: true }));
  await openai().chat.completions.create(ask('Thanks.'));
  expect(await scores(4)).toHaveLength(4);
});

test('a stream of the package of Ollama is read as a turn, and its errors are texts', async () => {
  const { url, headers, scores } = await startSdkStage({ GATEWAY_UPSTREAMS: 'ollama=ollama:$upstream' });
  let streamed = '';
  for await (const { message } of await new Ollama({ host: url, headers }).chat({ ...ask(), stream: true }))
    streamed += message.content;
  expect(streamed).toBe('Which part worries you?');
  expect(await scores(2)).toHaveLength(2);
  await expect(new Ollama({ host: url }).chat(ask())).rejects.toThrow(/^x-state-key is missing: /);
});
