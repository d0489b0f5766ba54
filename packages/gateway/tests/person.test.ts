import { expect, test } from 'vitest';
import { issueToken } from '../../../testkit/tokens.js';
import { until } from '../../../testkit/until.js';
import { distress, type JsonResponse, type Stage, startStage } from './stage.js';

const chat = '/v1/chat/completions';
const calm = 'How do I prune a rose?';
const first = { role: 'user', content: distress };
const answer = { role: 'assistant', content: 'Which part worries you?' };
const second = { role: 'user', content: calm };

/** Sends a request with these headers only. */
function send(
  { url, service }: Stage,
  body: object,
  headers: Record<string, string>,
  path = chat,
): Promise<JsonResponse> {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-State-Key': service.key, ...headers },
    body: JSON.stringify(body),
  });
}

/** Waits until the person has sessions with these numbers of messages, and returns the ids of the sessions. */
async function listSessions({ service }: Stage, subject: string, count: number): Promise<string[]> {
  const list = async (): Promise<Array<{ session_id: string }>> =>
    (await service.request(`/v1/sessions?subject_id=${subject}`)).body.sessions;
  await until(`${count} sessions`, async () => (await list()).length === count);
  return (await list()).map(({ session_id }) => session_id).reverse();
}

test('with a person and without a session, each conversation has a session of its own', async () => {
  const stage = await startStage();
  const anna = { 'X-State-Subject': 'anna' };
  for (const messages of [[first], [first, answer, second]]) {
    const { headers } = await send(stage, { model: 'm', messages }, anna);
    // Nothing stands out in the second message.
    expect(headers.get('x-state-adapted')).toBe(String(messages.length === 1));
  }
  const [one = ''] = await listSessions(stage, 'anna', 1);
  expect(one).toMatch(/^gateway-[\w-]{22}$/);
  await send(stage, { model: 'm', messages: [second] }, anna);
  await send(stage, { model: 'm', messages: [first] }, { 'X-State-Subject': 'ben' });
  expect(await listSessions(stage, 'anna', 2)).toContain(one);
  expect(await listSessions(stage, 'ben', 1)).not.toContain(one);
});

test.each([
  ['conversation', 'conv_1'],
  ['conversation', { id: 'conv_1' }],
  ['previous_response_id', 'resp_1'],
])('a conversation that the vendor stores (%s) has one session', async (field, value) => {
  const stage = await startStage();
  for (const input of [distress, 'Nobody helps me.'])
    await send(stage, { model: 'm', input, [field]: value }, { 'X-State-Subject': 'anna' }, '/v1/responses');
  expect(await listSessions(stage, 'anna', 1)).toHaveLength(1);
});

test('the model learns the state that the watch of the person measures', async () => {
  const stage = await startStage();
  const { service, upstream } = stage;
  await service.read({ session_id: 'watch', subject_id: 'anna', heart_rate: 100, tone: 'hostile', sentiment: -1 });
  const { headers } = await send(
    stage,
    { model: 'm', messages: [{ role: 'user', content: 'I like my roses.' }] },
    { 'X-State-Subject': 'anna' },
  );
  expect(headers.get('x-state')).toMatch(/^(?:stressed|acute_stress)$/);
  expect(upstream.requests[0]?.body).toContain('(another session)');
  // The last message is of the model, so the gateway only reads the state.
  const { headers: again } = await send(
    stage,
    { model: 'm', messages: [first, answer] },
    { 'X-State-Subject': 'anna' },
  );
  expect(again.get('x-state')).toMatch(/^(?:stressed|acute_stress)$/);
});

test('the headers of a chat front end name session and person, and do not reach the model', async () => {
  const stage = await startStage({
    GATEWAY_SESSION_HEADERS: 'X-State-Session, X-Chat-Id',
    GATEWAY_SUBJECT_HEADERS: 'X-User-Id',
  });
  await send(stage, { model: 'm', messages: [first] }, { 'X-Chat-Id': 'c1', 'X-User-Id': 'anna' });
  expect(await listSessions(stage, 'anna', 1)).toEqual(['c1']);
  const { headers } = stage.upstream.requests[0] ?? {};
  expect(Object.keys(headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual([]);
});

test.each([
  [chat, { messages: [first], user: 'anna' }],
  [chat, { messages: [first], safety_identifier: 'anna', user: 'other' }],
  ['/v1/messages', { messages: [first], metadata: { user_id: 'anna' } }],
])('with GATEWAY_READ_USER, a request to %s with %j names its person', async (path, body) => {
  const stage = await startStage({ GATEWAY_READ_USER: '1' });
  await send(stage, { model: 'm', ...body }, {}, path);
  expect(await listSessions(stage, 'anna', 1)).toHaveLength(1);
  const withHeader = { 'X-State-Subject': 'ben' };
  await send(stage, { model: 'm', ...body }, withHeader, path);
  expect(await listSessions(stage, 'ben', 1)).toHaveLength(1);
});

test('a request that names neither a session nor a person is a 400, also if its user is no valid id', async () => {
  for (const env of [{}, { GATEWAY_READ_USER: '1' }]) {
    const stage = await startStage(env as Record<string, string>);
    const refused = await send(stage, { model: 'm', messages: [first], user: 'two words' }, {});
    expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'missing_state_session']);
    expect(stage.upstream.requests).toEqual([]);
  }
});

test('a session token must name its session', async () => {
  const stage = await startStage();
  const token = await issueToken(stage.service, { session_id: 's1', subject_id: 'anna' });
  const named = { 'X-State-Key': token, 'X-State-Subject': 'anna' };
  const refused = await send(stage, { model: 'm', messages: [first] }, named);
  expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'missing_state_session']);
  expect((await send(stage, { model: 'm', messages: [first] }, { ...named, 'X-State-Session': 's1' })).status).toBe(
    200,
  );
});

test.each([
  ['open-webui', 'X-OpenWebUI-User-Id', 'X-OpenWebUI-Chat-Id'],
  ['librechat', 'X-LibreChat-User-Id', 'X-LibreChat-Conversation-Id'],
])('GATEWAY_PRESET=%s reads the headers of the front end, whose ids are hashed', async (preset, user, chatId) => {
  const stage = await startStage({ GATEWAY_PRESET: preset });
  const body = { model: 'm', messages: [first] };
  const { headers } = await send(stage, body, { [user]: 'u-1', [chatId]: 'c-1' });
  expect(headers.get('x-state-adapted')).toBe('true');
  const { sessions } = (await stage.service.request('/v1/sessions')).body;
  expect(sessions).toHaveLength(1);
  expect(JSON.stringify(sessions)).not.toMatch(/u-1|c-1/);
  expect(Object.keys(stage.upstream.requests[0]?.headers ?? {})).not.toContain(user.toLowerCase());
  const other = await startStage();
  const refused = await send(other, body, { [user]: 'u-1', [chatId]: 'c-1' });
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    400,
    expect.stringContaining(`GATEWAY_PRESET=${preset}`),
  ]);
});

test('requests of a front end for titles and questions are no turns, and get no instruction', async () => {
  const stage = await startStage();
  const anna = { 'X-State-Session': 's1', 'X-State-Subject': 'anna' };
  const history = `USER: ${distress}\nASSISTANT: Which part?`;
  const tasks = [
    `### Task:\nGenerate a concise title.\n<chat_history>\n${history}\n</chat_history>`,
    `Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\nConversation:\n${history}`,
    `Given the following conversation and a follow up question, rephrase the follow up question to be a standalone question.\n\n${history}\nStandalone question:`,
  ];
  await send(stage, { model: 'm', messages: [first] }, anna);
  for (const content of tasks) {
    const { headers } = await send(stage, { model: 'm', messages: [{ role: 'user', content }] }, anna);
    expect([headers.get('x-state-adapted'), headers.get('x-state-skipped')]).toEqual(['false', 'front_end_task']);
  }
  await stage.close();
  const { body } = await stage.service.request('/v1/history?session_id=s1');
  // The message, and its turn.
  expect(new Set(body.datapoints.map((it: { timestamp: string }) => it.timestamp)).size).toBe(1);
});
