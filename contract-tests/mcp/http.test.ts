import { randomUUID } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { hints, signals } from '../../generated/spec.js';
import type { KeyOptions } from '../../src/keys/manage.js';
import { makeAccount } from '../../testkit/calls.js';
import { allow, setUp } from '../../testkit/consents.js';
import { connectAgent, everyToolCall } from '../../testkit/mcp-tools.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { openKnex } from '../../testkit/temporary-database.js';

/** Calls a tool. Resolves with the text of the result, and whether the result is an error. */
async function call(client: Client, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content as Array<{ text: string }>;
  return { text: first?.text ?? '', isError: result.isError === true, structured: result.structuredContent };
}

test.each(['auto', 'legacy'] as const)('the official client runs every tool (%s)', async (era) => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  await allow(service, 'anna', ['vocal']);
  const client = await connectAgent(service, { headers: { Authorization: `Bearer ${service.key}` }, era });
  const { tools } = await client.listTools();
  const calls = everyToolCall('s1', 'anna');
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(calls));
  for (const [name, args] of Object.entries(calls))
    expect([name, await call(client, name, args)]).toMatchObject([name, { isError: false }]);
});

test('the state starts with the recommendation', async ({ service }) => {
  await service.read({ heart_rate: 95 });
  const { text, structured } = await call(await connectAgent(service), 'get_human_state', { session_id: 's1' });
  expect(text).toMatch(/^\{"recommendation":/);
  expect(JSON.parse(text)).toEqual(structured);
});

test('a message alone yields a state when its sentiment is derived', async () => {
  const client = await connectAgent(await startTestService());
  const args = { session_id: 's1', user_message: 'I cannot stop crying and I am so scared.' };
  expect((await call(client, 'ingest', args)).text).toContain('missing_signals');
  const { structured } = await call(client, 'ingest', { ...args, derive_sentiment: true });
  expect(structured).toMatchObject({ derived: { sentiment: expect.any(Number) }, signals_received: ['textual'] });
});

test('two accounts do not see the data of each other', async ({ service }) => {
  await service.read({ subject_id: 'anna', heart_rate: 95 });
  const { key } = await makeAccount(service, `stranger-${Date.now()}`, 'enterprise');
  const stranger = await connectAgent({ ...service, key });
  for (const name of ['get_human_state', 'get_session_history'])
    expect((await call(stranger, name, { session_id: 's1' })).text).toContain('session_not_found');
  for (const name of ['get_trigger_memory', 'get_subject_summary', 'delete_subject'])
    expect((await call(stranger, name, { subject_id: 'anna' })).text).toContain('subject_not_found');
  expect((await call(stranger, 'list_sessions', {})).structured).toEqual({ sessions: [], next_cursor: null });
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['ingest', { session_id: 's1', tone: 'loud' }, ['- tone: ', 'calm, focused, hesitant']],
  ['ingest', { session_id: 's1' }, ['missing_signals', 'send at least one of']],
  ['get_trigger_memory', {}, ['subject_id: Field required']],
  ['ingest', { session_id: 's1', heart_rate: 70, timestamp: '9999-12-31T00:00:00Z' }, [`do: ${hints.time_unit}`]],
])('the error for a call of %s with %j states what to do', async (name, args, texts) => {
  const { text, isError } = await call(await connectAgent(await startTestService()), name, args);
  expect(isError).toBe(true);
  for (const part of [...texts, 'What to do: ']) expect(text).toContain(part);
});

test.each(['a/b', 'a?b#c', 'a%2Fb'])('a tool call uses the id %s unchanged', async (subject_id) => {
  const service = await startTestService();
  await service.read({ subject_id, heart_rate: 95 });
  await service.read({ session_id: 'other', subject_id: 'a', heart_rate: 95 });
  const client = await connectAgent(service);
  const erased = { subject_id, sessions_deleted: 1, trigger_entries_deleted: 0 };
  expect((await call(client, 'delete_subject', { subject_id })).structured).toMatchObject(erased);
  expect((await call(client, 'get_trigger_memory', { subject_id })).text).toContain('subject_not_found');
  expect((await call(client, 'get_trigger_memory', { subject_id: 'a' })).isError).toBe(false);
});

test('only the erasure is marked as destructive, and only the tools that read are marked as read-only', async () => {
  const { tools } = await (await connectAgent(await startTestService())).listTools();
  const named = (hint: 'destructiveHint' | 'readOnlyHint') =>
    tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
  expect(named('destructiveHint')).toEqual(['delete_subject']);
  expect(named('readOnlyHint').sort()).toEqual([
    'get_consent',
    'get_human_state',
    'get_session_history',
    'get_subject_summary',
    'get_trigger_memory',
    'list_sessions',
  ]);
});

test('only a client with the scopes of its key may call a tool', async ({ service }) => {
  const make = async (options: KeyOptions) => (await makeAccount(service, randomUUID(), 'solo', options)).key;
  const here = await connectAgent({ ...service, key: await make({ networks: ['127.0.0.0/8'], scopes: ['read'] }) });
  const sorted = { state: ['calm', 'focused'], sort: 'score', points: 3 };
  expect(await call(here, 'list_sessions', sorted)).toMatchObject({ isError: false });
  const refused = await call(here, 'ingest', { session_id: 's1', heart_rate: 95 });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('insufficient_scope')]);
});

test('a tool call counts towards the limits, and a 429 states the limit and the wait', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '1' } });
  await service.read({ heart_rate: 95 });
  const { text, isError } = await call(await connectAgent(service), 'get_human_state', { session_id: 's1' });
  expect(isError).toBe(true);
  expect(text).toMatch(/exceeded limit: session\nWait \d+ s, then call the tool again/);
});

test('a turn of 4 KB is rejected with what to do, and a shorter one is accepted', async () => {
  const client = await connectAgent(await startTestService());
  const turn = { subject_id: 'anna', user_message: 'a'.repeat(4016), ai_response: 'Which part?' };
  const refused = await call(client, 'ingest', { session_id: 's1', heart_rate: 90, ...turn });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('body_too_large: Body too large') });
  expect(refused.text).toContain('What to do: Shorten `user_message` and `ai_response`.');
  const short = { ...turn, user_message: turn.user_message.slice(0, 3000) };
  expect((await call(client, 'ingest', { session_id: 's1', heart_rate: 90, ...short })).isError).toBe(false);
});

test('a 503 states the wait and that the same call is safe, and the call works again afterwards', async () => {
  const service = await startTestService({});
  await service.read({ heart_rate: 95 });
  const client = await connectAgent(service);
  const database = openKnex(service.database.url);
  const locker = await database.transaction();
  await locker('sessions').where({ session_id: 's1' }).update({ touched_at_ms: 0 });
  const args = { session_id: 's1', timestamp: service.clock.at(1), heart_rate: 96 };
  const { text, isError } = await call(client, 'ingest', args);
  await locker.rollback();
  expect([isError, text]).toEqual([true, expect.stringContaining('service_unavailable: Service unavailable')]);
  expect(text).toContain('Wait 1 s, then call the tool again with the same arguments.');
  expect((await call(client, 'ingest', args)).isError).toBe(false);
});

test('a request without a valid key gets the same 401 as in every operation', async ({ service: { url } }) => {
  const post = (headers: Record<string, string>) => fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' });
  for (const [headers, code] of [
    [{}, 'missing_api_key'],
    [{ Authorization: 'Bearer sk_00000000000000000000000000000000' }, 'invalid_api_key'],
  ] as const) {
    const answer = await post(headers);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, code]);
  }
});

test('a body over 64 KB is rejected', async ({ service: { url, key } }) => {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body: 'x'.repeat(70_000) });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
});

test('the prompt tells the agent to read the state first', async () => {
  const client = await connectAgent(await startTestService());
  const { prompts } = await client.listPrompts();
  const { messages } = await client.getPrompt({ name: prompts[0]?.name ?? '', arguments: { session_id: 's1' } });
  expect(JSON.stringify(messages)).toContain('get_human_state');
});

test.each(['auto', 'legacy'] as const)(
  'the state of a session is a resource whose id can be completed (%s)',
  async (era) => {
    const service = await startTestService();
    for (const session_id of ['shop-1', 'shop/2', 'other']) await service.read({ session_id, heart_rate: 95 });
    const client = await connectAgent(service, { era });
    const [template] = (await client.listResourceTemplates()).resourceTemplates;
    const uri = template?.uriTemplate ?? '';
    const { contents } = await client.readResource({ uri: uri.replace('{session_id}', encodeURIComponent('shop/2')) });
    const [state] = contents as Array<{ text: string }>;
    expect(JSON.parse(state?.text ?? '')).toEqual((await service.request('/v1/state?session_id=shop%2F2')).body);
    const complete = (value: string) =>
      client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'session_id', value } });
    const { completion } = await complete('shop');
    expect([completion.values.sort(), completion.hasMore]).toEqual([['shop-1', 'shop/2'], false]);
    for (const missing of [
      'state://sessions/none',
      'state://sessions/%E0%A4%A',
      'state://sessions/a/b',
      'file:///etc/passwd',
    ])
      await expect(client.readResource({ uri: missing })).rejects.toThrow();
    const { key } = await makeAccount(service, `stranger-${randomUUID()}`, 'solo');
    const stranger = await connectAgent({ ...service, key }, { era });
    await expect(stranger.readResource({ uri: 'state://sessions/shop-1' })).rejects.toThrow('session_not_found');
    const foreign = await stranger.complete({
      ref: { type: 'ref/resource', uri },
      argument: { name: 'session_id', value: '' },
    });
    expect(foreign.completion.values).toEqual([]);
  },
);

test('the list of all tools has at most 9,000 bytes, and names no signal that is only stored', async ({ service }) => {
  const headers = {
    'X-Service-Key': service.key,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const list = await (await fetch(`${service.url}/mcp`, { method: 'POST', headers, body })).text();
  expect(Buffer.byteLength(list)).toBeLessThanOrEqual(9_000);
  for (const name of Object.keys(everyToolCall('s1', 'anna'))) expect(list).toContain(`"name":"${name}"`);
  for (const [name, { use }] of Object.entries(signals))
    expect([name, list.includes(`"${name}":`)]).toEqual([name, use !== 'stored only']);
});

test('a tool call accepts a signal that is only stored, within its bounds', async ({ service }) => {
  const client = await connectAgent(service);
  const args = { session_id: 's1', heart_rate: 80, spo2: 97 };
  expect((await call(client, 'ingest', args)).isError).toBe(false);
  expect((await call(client, 'ingest', { ...args, spo2: '101' })).text).toContain(
    '- spo2: Input should be less than or',
  );
  const exported = await fetch(`${service.url}/v1/export?session_id=s1`, { headers: { 'X-Service-Key': service.key } });
  expect(await exported.text()).toContain('"spo2":97');
});

test('an error states the request_id only if the operator needs it', async () => {
  const client = await connectAgent(await startTestService());
  const { text } = await call(client, 'get_trigger_memory', {});
  expect(text).not.toMatch(/request_id|pointer|parameter/);
});

test('a reading without a timestamp gets the time of the service, which may differ from the clock of the machine', async () => {
  const service = await startTestService({});
  service.clock.advance(3_600);
  const client = await connectAgent(service);
  expect(await call(client, 'ingest', { session_id: 's1', heart_rate: 80 })).toMatchObject({
    isError: false,
    structured: { timestamp: service.clock.at() },
  });
});
