import { expect, test } from 'vitest';
import { sendJson } from '../../../testkit/model-upstream.js';
import { startTestService } from '../../../testkit/service.js';
import { distress, startStage } from './stage.js';

const chat = '/v1/chat/completions';
const user = { role: 'user', content: distress };
const start = { role: 'assistant', content: 'Which' };
const instruction = expect.stringMatching(/^The person's current stress state is "stressed"\./);
const joined = expect.stringMatching(/^Be "brief"\.\n\nThe person's current stress state is "stressed"\./);

test.each([
  [
    { role: 'system', content: 'Be "brief".' },
    { role: 'system', content: joined },
  ],
  [
    { role: 'developer', content: 'Be "brief".' },
    { role: 'developer', content: joined },
  ],
  [
    { role: 'system', content: '' },
    { role: 'system', content: instruction },
  ],
  [
    { content: [], role: 'system' },
    { content: [{ type: 'text', text: instruction }], role: 'system' },
  ],
  [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'system',
      content: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: instruction },
      ],
    },
  ],
])('the instruction of Chat Completions joins the leading system message %j', async (system, adapted) => {
  const { upstream, post } = await startStage();
  await post(chat, JSON.stringify({ messages: [system, user, start] }));
  expect(JSON.parse(upstream.requests[0]?.body ?? '').messages).toEqual([adapted, user, start]);
});

test('the instruction becomes the leading system message if there is none', async () => {
  const { upstream, post } = await startStage();
  const later = { role: 'system', content: 'Be brief.' };
  await post(chat, JSON.stringify({ messages: [user, later] }));
  const { messages } = JSON.parse(upstream.requests[0]?.body ?? '');
  expect(messages).toEqual([{ role: 'system', content: instruction }, user, later]);
});

test('with GATEWAY_PLACEMENT=last, the instruction follows all messages, except for a response that the model continues', async () => {
  const { upstream, post } = await startStage({ GATEWAY_PLACEMENT: 'last' });
  const developer = { role: 'developer', content: 'Be brief.' };
  await post(chat, JSON.stringify({ messages: [user] }));
  await post(chat, JSON.stringify({ messages: [developer, user, start] }));
  const sent = upstream.requests.map(({ body }) => JSON.parse(body).messages);
  expect(sent).toEqual([
    [user, { role: 'system', content: instruction }],
    [developer, user, { role: 'developer', content: instruction }, start],
  ]);
});

test.each([chat, '/v1/messages', '/v1/responses'])(
  'a model that rejects an adapted request to %s gets the original, and its conversation no instruction for some time',
  async (path) => {
    const { upstream, post } = await startStage();
    const error = { error: { message: 'System message must be first.' } };
    const ask = (model: string, content = distress, headers = {}) => {
      const messages = [{ role: 'user', content }];
      return post(path, JSON.stringify({ model, messages, input: messages }), headers);
    };
    const isAdapted = async (response: ReturnType<typeof ask>) => (await response).headers.get('x-state-adapted');

    upstream.respond((_, response) => sendJson(response, error, 400));
    const first = await ask('strict');
    expect([first.status, first.headers.get('x-state-adapted')]).toEqual([200, 'false']);
    expect([first.headers.get('x-state'), first.headers.get('x-state-skipped')]).toEqual([
      'stressed',
      'rejected_by_model',
    ]);
    expect(upstream.requests[0]?.body).toContain("The person's current");
    expect(upstream.requests[1]?.body).not.toContain("The person's current");

    const later = await ask('strict', 'I panic again.');
    expect([later.status, later.headers.get('x-state-skipped')]).toEqual([200, 'rejected_by_model']);
    expect(upstream.requests).toHaveLength(3);
    expect(await isAdapted(ask('other'))).toBe('true');
    const neighbor = await startTestService();
    expect(await isAdapted(ask('strict', distress, { 'X-State-Key': neighbor.key }))).toBe('true');
  },
);
