import { readFileSync } from 'node:fs';
import { Template } from '@huggingface/jinja';
import { expect, test } from 'vitest';
import { type Responding, respondWithText, sendJson } from '../../../testkit/model-upstream.js';
import { distress, type Stage, startStage } from './stage.js';

const chat = '/v1/chat/completions';
const added = "The person's current";

interface Sent {
  readonly role: string;
  readonly content: string | ReadonlyArray<{ readonly text: string }>;
}

type Accepting = (messages: readonly Sent[]) => boolean;

/** Which messages a model accepts: rules in own words, and chat templates, which throw an error for the others. */
const byRoles = (accepts: (roles: readonly string[]) => boolean): Accepting => {
  return (messages) => accepts(messages.map(({ role }) => role));
};
const byTemplate = (name: string): Accepting => {
  const template = new Template(readFileSync(new URL(`templates/${name}.jinja`, import.meta.url), 'utf8'));
  return (messages) => {
    try {
      const prompt = template.render({ messages: [...messages], bos_token: '<s>', eos_token: '</s>' });
      // Some templates drop the messages of an unknown role.
      expect(prompt).toContain(distress);
      return prompt.includes(added) || !JSON.stringify(messages).includes(added);
    } catch {
      return false;
    }
  };
};
const models: Record<string, Accepting> = {
  'qwen2.5': byTemplate('qwen2.5'),
  qwen3: byTemplate('qwen3'),
  'mistral-small': byTemplate('mistral-small'),
  'mistral-7b': byTemplate('mistral-7b'),
  // No system message, and user and assistant in turn.
  gemma: byRoles((roles) => roles.every((it, index) => it === (index % 2 === 0 ? 'user' : 'assistant'))),
  // Models of OpenAI that reason: a developer message in the place of a system message.
  reasoning: byRoles((roles) => !roles.includes('system')),
  // Any order.
  llama: byRoles((roles) => !roles.includes('developer')),
};

const answering =
  (accepts: Accepting): Responding =>
  (request, response, incoming) => {
    const { messages } = JSON.parse(request.body);
    if (accepts(messages)) return respondWithText('Which part?')(request, response, incoming);
    return sendJson(response, { error: { message: 'Conversation roles must alternate' } }, 500);
  };

/** Asks in a new conversation each time. Returns the messages with the instruction that the model accepted, by conversation. */
async function converse(stage: Stage, accepts: Accepting, count: number, path = chat) {
  const accepted: Array<readonly Sent[] | undefined> = [];
  for (let index = 0; index < count; index += 1) {
    stage.upstream.respond(answering(accepts), answering(accepts));
    const before = stage.upstream.requests.length;
    const body = { model: 'm', messages: [{ role: 'user', content: distress }] };
    const response = await stage.post(path, JSON.stringify(body), { 'X-State-Session': `c${index}` });
    expect(response.status).toBe(200);
    const sent = stage.upstream.requests.slice(before);
    expect(sent.length).toBeLessThanOrEqual(2);
    // A response that nobody asked for stays for the next request otherwise.
    if (sent.length === 1) await fetch(`${stage.upstream.url}/v1/models`, { method: 'POST', body: '{"messages":[]}' });
    const isAdapted = response.headers.get('x-state-adapted') === 'true';
    accepted.push(isAdapted ? JSON.parse(sent[0]?.body ?? '').messages : undefined);
  }
  return accepted;
}

test.each([
  ['qwen2.5', 0, ['system', 'user']],
  ['qwen3', 0, ['system', 'user']],
  ['mistral-small', 0, ['system', 'user']],
  ['mistral-7b', 6, ['user']],
  ['llama', 0, ['system', 'user']],
  ['reasoning', 3, ['developer', 'user']],
  ['gemma', 6, ['user']],
])('with GATEWAY_PLACEMENT=auto, %s gets the instruction after %i rejections', async (name, rejected, roles) => {
  const stage = await startStage({ GATEWAY_PLACEMENT: 'auto' });
  const accepted = await converse(stage, models[name] as Accepting, 8);
  expect(accepted.findIndex((it) => it !== undefined)).toBe(rejected);
  const last = accepted.at(-1) ?? [];
  expect(last.map(({ role }) => role)).toEqual(roles);
  expect(JSON.stringify(last)).toContain(added);
  // The person's text is unchanged.
  expect(String(last.at(-1)?.content)).toMatch(new RegExp(`${distress}$`));
});

test('a conversation tries another place with its next request', async () => {
  const stage = await startStage({ GATEWAY_PLACEMENT: 'auto' });
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: distress }] });
  const reject: Responding = (_, response) => sendJson(response, { error: { message: 'no system role' } }, 400);
  const roles: unknown[] = [];
  for (let index = 0; index < 4; index += 1) {
    stage.upstream.respond(reject);
    const before = stage.upstream.requests.length;
    expect((await stage.post(chat, body)).status).toBe(index < 3 ? 200 : 400);
    const { messages } = JSON.parse(stage.upstream.requests[before]?.body ?? '');
    roles.push([messages.length, messages[0].role, JSON.stringify(messages).includes(added)]);
  }
  expect(roles).toEqual([
    [2, 'system', true],
    [2, 'developer', true],
    [1, 'user', true],
    [1, 'user', false],
  ]);
});

test('a model that rejects every place gets no instruction, except in one request of 20', async () => {
  const stage = await startStage({ GATEWAY_PLACEMENT: 'auto' });
  const accepted = await converse(stage, (messages) => !JSON.stringify(messages).includes(added), 9);
  expect(accepted.every((it) => it === undefined)).toBe(true);
  const before = stage.upstream.requests.length;
  const post = (index: number) =>
    stage.post(chat, JSON.stringify({ model: 'm', messages: [{ role: 'user', content: distress }] }), {
      'X-State-Session': `d${index}`,
    });
  for (let index = 0; index < 20; index += 1) await post(index);
  const sent = stage.upstream.requests.slice(before);
  expect(sent.map(({ body }) => body.includes(added)).filter(Boolean)).toHaveLength(1);
});

test('the block stands before the text of a message, after results of tools, and never in a Response', async () => {
  const stage = await startStage({ GATEWAY_PLACEMENT: 'auto' });
  const result = { type: 'tool_result', tool_use_id: 't', content: 'ok' };
  const content = [result, { type: 'text', text: distress }];
  const noSystem = answering((messages) => JSON.stringify(messages).includes(added));
  const reject: Responding = (request, response, incoming) =>
    'system' in JSON.parse(request.body)
      ? sendJson(response, { error: { message: 'system is not supported' } }, 400)
      : noSystem(request, response, incoming);
  stage.upstream.respond(reject);
  const messages = JSON.stringify({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content }] });
  await stage.post('/v1/messages', messages);
  await stage.post('/v1/messages', messages);
  const [block] = JSON.parse(stage.upstream.requests.at(-1)?.body ?? '').messages[0].content.slice(1);
  expect(JSON.parse(stage.upstream.requests.at(-1)?.body ?? '').messages[0].content).toEqual([
    result,
    {
      type: 'text',
      text: expect.stringMatching(/^<note_of_the_app>\nThe person's current[^]*<\/note_of_the_app>\n\n$/),
    },
    { type: 'text', text: distress },
  ]);
  expect(block.type).toBe('text');

  stage.upstream.respond((_, response) => sendJson(response, { error: { message: 'no' } }, 400));
  const input = JSON.stringify({ model: 'r', input: distress });
  for (let index = 0; index < 2; index += 1) await stage.post('/v1/responses', input);
  expect(stage.upstream.requests.slice(-2).map(({ body }) => body)).toEqual([input, input]);
});
