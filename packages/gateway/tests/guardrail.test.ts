import { expect, test } from 'vitest';
import { injectFaults, startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { startTestService } from '../../../testkit/service.js';
import { distress, type Stage, startStage } from './stage.js';

const path = '/beta/litellm_basic_guardrail_api';
const data = {
  user_api_key_hash: '88dc28d0f030c55ed4ab77ed8faf098196cb1c05df778539800c9f1243fe6b4b',
  user_api_key_user_id: 'owner',
  user_api_key_end_user_id: 'anna@example.com',
};
const system = { role: 'system', content: 'Be brief.' };
const user = { role: 'user', content: distress };

/** A call as the documentation of the Generic Guardrail API describes it. */
function callOf(structured_messages: ReadonlyArray<{ content: unknown }>, fields: object = {}) {
  const texts = structured_messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : ((content ?? []) as Array<{ text?: string }>).flatMap((it) => it.text ?? []),
  );
  return {
    ...{ texts, images: [], tools: null, structured_messages, request_data: data, input_type: 'request' },
    ...{ litellm_call_id: 'c', litellm_trace_id: 't', additional_provider_specific_params: {} },
    ...fields,
  };
}

async function call({ url, service }: Stage, body: object | string, headers: object = { 'X-Api-Key': service.key }) {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: sent,
  });
  return { status: response.status, body: await response.json() };
}

const adapted = expect.stringMatching(/^Be brief\.\n\nThe person's current stress state is "stressed"\./);

test.each([
  [
    [system, user],
    [adapted, distress],
  ],
  [
    [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'Say "ok"' },
          { type: 'text', text: 'Be brief.' },
        ],
      },
      user,
    ],
    ['Say "ok"', adapted, distress],
  ],
  [
    [system, user, { role: 'assistant', content: null, tool_calls: [] }, { role: 'tool', content: 'é "1"' }],
    [adapted, distress, 'é "1"'],
  ],
  [
    [{ role: 'system', content: 'First.' }, user, system],
    ['First.', distress, adapted],
  ],
])('the last system text of %j has the state', async (messages, texts) => {
  const stage = await startStage();
  // After a result of a tool, the state is that of the message before.
  await call(stage, callOf([system, user]));
  const { status, body } = await call(stage, callOf(messages));
  expect([status, body]).toEqual([200, { action: 'GUARDRAIL_INTERVENED', texts }]);
});

test.each<[string, object | string]>([
  ['no system text', callOf([user])],
  ['a response of the model', callOf([system, user], { input_type: 'response' })],
  ['no person', callOf([system, user], { request_data: {} })],
  ['no rows', { ...callOf([system, user]), structured_messages: null }],
  ['texts that differ from the rows', callOf([system, user], { texts: [distress] })],
  ['other texts', callOf([system, user], { texts: ['a', 'b'] })],
  ['a request for a title', callOf([system, { role: 'user', content: '### Task:\n<chat_history>a</chat_history>' }])],
  ['no JSON', '{"texts": ['],
  ['an array', '[]'],
])('with %s, the request stays as it is', async (_, body) => {
  const stage = await startStage();
  expect(await call(stage, body)).toEqual({ status: 200, body: { action: 'NONE' } });
});

test('a service that does not respond leaves the request as it is, and an invalid key is a 401', async () => {
  const service = await startTestService();
  const proxy = await startFaultyProxy(service.url);
  const stage = { ...(await startStage({}, proxy)), service };
  const body = callOf([system, user]);
  for (const headers of [{}, { 'X-Api-Key': `sk_${'0'.repeat(32)}` }])
    expect((await call(stage, body, headers)).status).toBe(401);
  expect((await call(stage, body, { 'X-State-Key': service.key, 'X-Api-Key': 'sk-litellm' })).status).toBe(200);
  await injectFaults(proxy, ['bad gateway', 'bad gateway']);
  expect(await call(stage, body)).toEqual({ status: 200, body: { action: 'NONE' } });
});

test('the person is the hashed end user, or the owner of the key, and each conversation has a session', async () => {
  for (const [subject, id] of [
    ['end_user', 'anna@example.com'],
    ['user', 'owner'],
  ] as const) {
    const stage = await startStage({ GATEWAY_LITELLM_SUBJECT: subject });
    await call(stage, callOf([system, user]));
    await call(
      stage,
      callOf([system, user, { role: 'assistant', content: 'Which?' }, { role: 'user', content: 'All.' }]),
    );
    const { sessions } = (await stage.service.request('/v1/sessions')).body;
    expect(sessions).toHaveLength(1);
    expect(sessions[0].subject_id).toMatch(/^gateway-[\w-]{22}$/);
    expect(JSON.stringify([sessions, stage.logs])).not.toContain(id);
  }
});
