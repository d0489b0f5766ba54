import { AgentCard, type Message, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { TestService } from '../../testkit/service.js';
import { connectA2a, publicUrl, toMessage } from '../../testkit/a2a-agent.js';
import { startOAuthService } from '../../testkit/authorization-server.js';
import { makeAccount } from '../../testkit/calls.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer } from '../../testkit/tokens.js';

type AnyBody = ReturnType<JSON['parse']>;

const start = () => startTestService({ env: { PUBLIC_URL: publicUrl } });
const request = (sent: Parameters<typeof toMessage>[0]) => ({
  ...{ tenant: '', message: toMessage(sent), configuration: undefined, metadata: undefined },
});

/** Sends a message. Resolves with the texts and the data of the answer. */
async function ask(client: Client, sent: Parameters<typeof toMessage>[0]) {
  const answer = (await client.sendMessage(request(sent))) as Message;
  const valuesOf = (kind: 'text' | 'data') =>
    answer.parts.flatMap(({ content }) => (content?.$case === kind ? [content.value as AnyBody] : []));
  return { text: valuesOf('text').join('\n'), data: valuesOf('data')[0], isError: answer.metadata?.['is_error'] };
}

/** Posts a JSON-RPC message as it is. */
async function post(
  { url, key }: Pick<TestService, 'url' | 'key'>,
  body: string,
  headers: Record<string, string> = {},
) {
  const init = { 'X-Service-Key': key, 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...headers };
  const response = await fetch(`${url}/a2a`, { method: 'POST', headers: init, body });
  return { status: response.status, body: (await response.json()) as AnyBody };
}

const call = (method: string, params: unknown = {}) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });

test('the card describes the agent, without a key and only with PUBLIC_URL', async () => {
  const { url } = await start();
  const body: AnyBody = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  const card = AgentCard.fromJSON(body);
  expect(AgentCard.toJSON(card)).toMatchObject({ ...body, securityRequirements: [{ schemes: { serviceKey: {} } }] });
  expect(card.documentationUrl).toBe(`${publicUrl}/llms.txt`);
  expect(card.supportedInterfaces).toMatchObject([
    { url: `${publicUrl}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ]);
  const names = card.skills.map(({ id }) => id);
  expect(names).toEqual(expect.arrayContaining(['get_human_state', 'ingest']));
  expect(names).not.toContain('delete_subject');
  const without = await startTestService();
  expect((await fetch(`${without.url}/.well-known/agent-card.json`)).status).toBe(404);
});

test('the official client ingests and reads the state by skills', async () => {
  const service = await start();
  const client = await connectA2a(service);
  const sent = { session_id: 's1', subject_id: 'anna', heart_rate: 95 };
  expect((await ask(client, { skill: 'ingest', arguments: sent })).data).toMatchObject({ session_id: 's1' });
  const { text, data, isError } = await ask(client, { skill: 'get_human_state', arguments: { subject_id: 'anna' } });
  expect(isError).toBeUndefined();
  expect(data).toMatchObject({ subject_id: 'anna', state: expect.any(String) });
  expect(JSON.parse(text)).toMatchObject({ recommendation: data.recommendation });
  const failed = await ask(client, { skill: 'get_human_state', arguments: { subject_id: 'nobody' } });
  expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('subject_not_found') });
  await expect(ask(client, { skill: 'delete_subject', arguments: { subject_id: 'anna' } })).rejects.toThrow(/Skills:/);
});

test('a text is not read: it gets the skills, or the state of the own person', async () => {
  const service = await startOAuthService({ env: { PUBLIC_URL: publicUrl } });
  const client = await connectA2a(service);
  await service.read({ session_id: 's1', subject_id: 'anna', heart_rate: 95 });
  const text = 'What is the state of anna in s1? <secret-7>';
  const listed = await ask(client, text);
  expect(listed.text).toMatch(/^Send one data part .*get_human_state/);
  expect(JSON.stringify(listed)).not.toMatch(/anna|secret/);
  const token = bearer(await service.sign('ben', { claims: { aud: `${publicUrl}/a2a` } }));
  const own = await connectA2a(service, token);
  const beat = { session_id: 'mine', heart_rate: 72 };
  expect((await ask(own, { skill: 'ingest', arguments: beat })).isError).toBeUndefined();
  expect((await ask(own, text)).data).toMatchObject({ session_id: 'mine' });
  const other = await ask(own, { skill: 'get_human_state', arguments: { subject_id: 'anna' } });
  expect(other).toMatchObject({ isError: true, text: expect.stringContaining('other_person') });
});

test('a stream sends the changes of the state of a person until the client leaves', async () => {
  const service = await start();
  const client = await connectA2a(service);
  const named = request({ skill: 'get_human_state', arguments: { subject_id: 'anna' } });
  const events = client.sendMessageStream(named);
  const first = await events.next();
  expect(first.value).toMatchObject({
    payload: { $case: 'task', value: { status: { state: TaskState.TASK_STATE_WORKING } } },
  });
  const person = { session_id: 's1', subject_id: 'anna' };
  await service.read({ ...person, heart_rate: 60, tone: 'calm', sentiment: 0.9 });
  service.clock.advance(2);
  await service.read({ ...person, heart_rate: 120, tone: 'hostile', sentiment: -1 });
  const { value } = await events.next();
  const part = (value as AnyBody).payload.value.artifact.parts[0];
  expect(part.content.value).toMatchObject({ event: 'state_change', session_id: 's1', subject_id: 'anna' });
  await events.return(undefined);
  const id = (first.value as AnyBody).payload.value.id;
  await expect(client.getTask({ id, tenant: '', historyLength: undefined })).rejects.toThrow(/No task/);
});

test('a stream is under the limits of streams, and names somebody', async () => {
  const service = await startTestService({ env: { PUBLIC_URL: publicUrl, LIMIT_STREAMS_PER_KEY: '1' } });
  const client = await connectA2a(service);
  const named = request({ skill: 'get_human_state', arguments: { subject_id: 'anna' } });
  const open = client.sendMessageStream(named);
  await open.next();
  const refused = await post(
    service,
    call('SendStreamingMessage', {
      message: {
        messageId: 'm',
        role: 'ROLE_USER',
        parts: [{ data: { skill: 'get_human_state', arguments: { subject_id: 'anna' } } }],
      },
    }),
  );
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } });
  await open.return(undefined);
  await expect(client.sendMessageStream(request('hello')).next()).rejects.toThrow(/Name one of/);
});

test('tasks are never found, and there is no push', async () => {
  const service = await start();
  const codeOf = async (method: string, params: object) => (await post(service, call(method, params))).body.error?.code;
  for (const method of ['GetTask', 'CancelTask']) expect(await codeOf(method, { id: 't1' })).toBe(-32_001);
  expect((await post(service, call('ListTasks'))).body.result).toMatchObject({ tasks: [] });
  expect(await codeOf('CreateTaskPushNotificationConfig', { taskId: 't1', url: 'https://a.example' })).toBe(-32_003);
});

test('another version, another form and another account get clear errors without the words of the client', async () => {
  const service = await start();
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'secret-7' }] };
  for (const version of ['0.3', '', '2.0 secret-7']) {
    const { body } = await post(service, call('message/send', { message }), { 'A2A-Version': version });
    expect(body).toMatchObject({
      id: 7,
      error: { code: -32_009, message: expect.stringContaining('A2A-Version: 1.0') },
    });
    expect(JSON.stringify(body)).not.toContain('secret');
  }
  for (const body of [
    '{"secret-7',
    '7',
    'null',
    call('secret-7'),
    call('SendMessage', 'secret-7'),
    call('SendMessage', { message: { ...message, parts: [{ data: 'secret-7' }] } }),
    call('SendMessage', { message: { ...message, role: 'secret-7' } }),
    JSON.stringify({ jsonrpc: '2.0', id: { text: 'secret-7' }, method: 'SendMessage', params: { message } }),
    JSON.stringify({ jsonrpc: '2.0', id: ['secret-7'], method: 'secret-7' }),
  ]) {
    const answer = await post(service, body);
    expect([body, answer.status]).toEqual([body, 200]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  }
  expect((await post(service, `[${call('ListTasks')}]`)).status).toBe(400);
  expect((await post(service, call('ListTasks'), { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await post(service, call('ListTasks'), { 'X-Service-Key': '' })).status).toBe(401);
  expect((await post(service, call('ListTasks'), { Origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(service, `"${'x'.repeat(70_000)}"`)).status).toBe(413);
  await service.read({ session_id: 's1', subject_id: 'anna', heart_rate: 95 });
  const foreign = await makeAccount(service, 'other', 'enterprise');
  const client = await connectA2a({ url: service.url, key: foreign.key });
  const failed = await ask(client, { skill: 'get_human_state', arguments: { subject_id: 'anna' } });
  expect(failed).toMatchObject({ isError: true });
});
