import { expect, test } from 'vitest';
import { formatEvent, type Responding, sendJson } from '../../../testkit/model-upstream.js';
import { startTestService } from '../../../testkit/service.js';
import { until } from '../../../testkit/until.js';
import { distress, type Stage, startStage } from './stage.js';

const chat = '/v1/chat/completions';
const added = "The person's current";
/** How a model rejects a system message. */
const reject =
  (status = 500, error: object = { message: 'System role not supported' }): Responding =>
  (_, response) =>
    sendJson(response, { error }, status);

/** Sends a conversation, whose session has its name. Resolves with the status and whether the instruction was in the request. */
async function ask({ post }: Stage, session: string, model = 'strict', headers = {}, isStream = false) {
  const body = { model, messages: [{ role: 'user', content: distress }], ...(isStream && { stream: true }) };
  const response = await post(chat, JSON.stringify(body), { 'X-State-Session': session, ...headers });
  const text = await response.text();
  return { status: response.status, text, isAdapted: response.headers.get('x-state-adapted') === 'true' };
}

/** Lets the model reject one adapted request of each conversation. */
async function rejectAll(stage: Stage, sessions: readonly string[], rejecting = reject()): Promise<void> {
  for (const session of sessions) {
    stage.upstream.respond(rejecting);
    expect(await ask(stage, session)).toMatchObject({ status: 200, isAdapted: false });
  }
}

/** Returns which of the next requests of a conversation had the instruction, by their index. */
async function listAdapted(stage: Stage, session: string, count: number): Promise<number[]> {
  const adapted: number[] = [];
  for (let index = 0; index < count; index += 1) if ((await ask(stage, session)).isAdapted) adapted.push(index);
  return adapted;
}

test.each([400, 404, 413, 415, 422, 500, 501])('a %i to an adapted request gets the original, once', async (status) => {
  const stage = await startStage();
  stage.upstream.respond(reject(status));
  expect(await ask(stage, 's1')).toMatchObject({ status: 200, isAdapted: false });
  expect(stage.upstream.requests.map(({ body }) => body.includes(added))).toEqual([true, false]);
});

test.each([400, 404, 413, 415, 422, 500, 501])('a second %i is returned to the client', async (status) => {
  const stage = await startStage();
  stage.upstream.respond(reject(status), reject(status, { message: 'second' }));
  const { text, ...answer } = await ask(stage, 's1');
  expect([answer, text]).toEqual([{ status, isAdapted: false }, '{"error":{"message":"second"}}']);
  expect(stage.upstream.requests).toHaveLength(2);
});

test.each([401, 402, 403, 408, 409, 429, 502, 503, 504])('a %i to an adapted request is returned', async (status) => {
  const stage = await startStage();
  stage.upstream.respond(reject(status));
  expect((await ask(stage, 's1')).status).toBe(status);
  expect(stage.upstream.requests).toHaveLength(1);
  expect((await ask(stage, 's1')).isAdapted).toBe(true);
});

test('a model that rejects a streamed request streams its response to the original', async () => {
  const stage = await startStage();
  stage.upstream.respond(reject(500));
  const { status, text } = await ask(stage, 's1', 'strict', {}, true);
  expect([status, text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
  expect(stage.upstream.requests).toHaveLength(2);
});

test('after the first byte of a stream, no second request is sent', async () => {
  const stage = await startStage();
  const error = formatEvent({ error: { message: 'System role not supported', code: 500 } });
  stage.upstream.respond((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(error, () => response.destroy());
  });
  await expect(ask(stage, 's1', 'strict', {}, true)).rejects.toThrow('terminated');
  await until('the request is logged', () => stage.logs.some((it) => it.includes('"error"')));
  expect(stage.upstream.requests).toHaveLength(1);
});

test('an error of the model that does not end does not delay the original', async () => {
  const stage = await startStage();
  stage.upstream.respond((_, response) => response.writeHead(500).write('{'));
  expect(await ask(stage, 's1')).toMatchObject({ status: 200, isAdapted: false });
});

test.each<[string, Responding]>([
  ['413', reject(413)],
  ['400 of a long conversation', reject(400, { code: 'context_length_exceeded', message: 'maximum context length' })],
  ['400 of a long prompt', reject(400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' })],
  ['400 of vLLM', reject(400, { message: "This model's maximum context length is 4096 tokens. You requested 4100." })],
  ['400 of llama.cpp', reject(400, { message: 'the request exceeds the available context size, try increasing it' })],
  ['500 of Ollama', reject(500, { message: 'prompt too long; exceeded max context length by 12 tokens' })],
])('after a %s, the conversation gets the short form, then none', async (_, rejecting) => {
  const stage = await startStage();
  await rejectAll(stage, ['a', 'b', 'c', 'd'], rejecting);
  expect((await ask(stage, 'a')).isAdapted).toBe(true);
  const { messages } = JSON.parse(stage.upstream.requests.at(-1)?.body ?? '');
  expect(messages[0].content).toBe(
    'The person is stressed. Answer in at most two short, concrete sentences, acknowledge the strain and ask for nothing that can wait.',
  );
  await rejectAll(stage, ['a'], rejecting);
  expect(await listAdapted(stage, 'a', 2)).toEqual([]);
  expect(await listAdapted(stage, 'e', 2)).toEqual([0, 1]);
});

test('a 400 of a content filter concerns its conversation only', async () => {
  const stage = await startStage();
  const filtered = reject(400, { code: 'content_filter', message: 'content management policy' });
  await rejectAll(stage, ['a', 'b', 'c', 'd'], filtered);
  expect(await listAdapted(stage, 'a', 3)).toEqual([]);
  expect(await listAdapted(stage, 'e', 3)).toEqual([0, 1, 2]);
});

test('a rejection concerns the model after three conversations, and then one request in 20 has the instruction', async () => {
  const stage = await startStage();
  await rejectAll(stage, ['a', 'b']);
  expect(await listAdapted(stage, 'a', 25)).toEqual([]);
  stage.upstream.respond(reject());
  expect((await ask(stage, 'c')).isAdapted).toBe(false);
  const before = stage.upstream.requests.length;
  expect(await listAdapted(stage, 'd', 19)).toEqual([]);
  expect(stage.upstream.requests).toHaveLength(before + 19);
  stage.upstream.respond(reject());
  expect(await ask(stage, 'e')).toMatchObject({ status: 200, isAdapted: false });
  expect(stage.upstream.requests).toHaveLength(before + 21);
  // The next probe succeeds, which ends the memory, also for the conversations that were rejected.
  expect(await listAdapted(stage, 'd', 22)).toEqual([19, 20, 21]);
  expect(await listAdapted(stage, 'a', 2)).toEqual([0, 1]);
});

test('a success between the rejections shows that the model accepts the instruction', async () => {
  const stage = await startStage();
  await rejectAll(stage, ['a', 'b']);
  expect((await ask(stage, 'c')).isAdapted).toBe(true);
  await rejectAll(stage, ['d', 'e']);
  expect((await ask(stage, 'f')).isAdapted).toBe(true);
});

test('three rejections concern one credential and one model', async () => {
  const stage = await startStage();
  await rejectAll(stage, ['a', 'b', 'c']);
  expect((await ask(stage, 'd')).isAdapted).toBe(false);
  expect((await ask(stage, 'd', 'other')).isAdapted).toBe(true);
  const neighbor = { 'X-State-Key': (await startTestService()).key };
  for (const session of ['a', 'd']) expect((await ask(stage, session, 'strict', neighbor)).isAdapted).toBe(true);
});

test('rejections whose originals fail too are not remembered', async () => {
  const stage = await startStage();
  for (const session of ['a', 'b', 'c', 'a']) {
    stage.upstream.respond(reject(500), reject(500));
    expect((await ask(stage, session)).status).toBe(500);
  }
  expect((await ask(stage, 'a')).isAdapted).toBe(true);
});

test('a slow external check of messages does not end the adaptation', async () => {
  const check = await startStage();
  const env = { SAFETY_URL: `${check.upstream.url}/check`, SAFETY_TIMEOUT_MS: '50' };
  const service = await startTestService({ env });
  service.clock.nowMs = Date.now();
  const stage = await startStage({ GATEWAY_STATE_TIMEOUT_MS: '750' }, service.url);
  const own = { 'X-State-Key': service.key };
  // The check never answers. A loaded machine may need more than one request within the limit.
  check.upstream.respond(...Array.from({ length: 100 }, () => () => undefined));
  await until('the key is valid', async () => (await stage.post('/v1/models', '', own)).status === 200);
  let session = 0;
  const isAdapted = async () => (await ask(stage, `s${(session += 1)}`, 'm', own)).isAdapted;
  await until('a checked request has the state', async () => (await isAdapted()) && check.upstream.requests.length > 0);
});
