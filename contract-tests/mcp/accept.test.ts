import { createParser } from 'eventsource-parser';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

/** A version of the protocol without sessions. Without a version, a request belongs to the protocol before it. */
const modern = '2026-07-28';

async function post(accept: string | undefined, version: string | undefined, method = 'tools/list') {
  const { url, key } = await startTestService();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = { jsonrpc: '2.0', id: 7, method, params: version ? { _meta } : {} };
  const sent = { 'X-Service-Key': key, 'Content-Type': 'application/json', Accept: accept };
  const headers = { ...sent, ...(version && { 'MCP-Protocol-Version': version, 'Mcp-Method': method }) };
  // Unlike fetch, this client sends no Accept of its own.
  const answer = await request(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
  return { status: answer.statusCode, type: String(answer.headers['content-type']), text: await answer.body.text() };
}

const json = /^application\/json/;
const stream = /^text\/event-stream/;

/** Returns the message of a response, which is the whole body or the only event. */
function messageOf({ type, text }: { type: string; text: string }): unknown {
  const events: string[] = [];
  createParser({ onEvent: ({ data }) => events.push(data) }).feed(text);
  if (stream.test(type)) expect(events).toHaveLength(1);
  return JSON.parse(stream.test(type) ? (events[0] ?? '') : text);
}

const cases = [undefined, modern].flatMap((version) =>
  (
    [
      ['text/event-stream', stream],
      ['text/event-stream; q=0.9, text/html', stream],
      ['text/event-stream, application/json;q=0.5', stream],
      ['application/json', json],
      ['application/json; charset=utf-8', json],
      ['application/json, text/event-stream', json],
      ['application/json, text/event-stream;q=0', json],
      ['*/*', json],
      ['application/*', json],
      ['', json],
      [undefined, json],
    ] as const
  ).map(([accept, form]) => [accept, version, form] as const),
);

test.each(cases)(
  'a request that accepts %j gets the form that it asks for (protocol %s)',
  async (accept, version, form) => {
    const answer = await post(accept, version);
    expect([answer.status, answer.type]).toEqual([200, expect.stringMatching(form)]);
    const { id, result } = messageOf(answer) as { id: number; result: { tools: unknown[] } };
    expect([id, result.tools.length]).toEqual([7, 9]);
  },
);

test.each([undefined, modern])('an error of the protocol is readable in both forms (protocol %s)', async (version) => {
  for (const [accept, form] of [
    ['application/json', json],
    ['text/event-stream', /^(text\/event-stream|application\/json)/],
  ] as const) {
    const answer = await post(accept, version, 'tools/none');
    expect(answer.type).toMatch(form);
    expect(messageOf(answer)).toMatchObject({ id: 7, error: { code: -32601 } });
  }
});

test('a request that accepts neither form is a 406 before the protocol without sessions', async () => {
  expect((await post('text/html', undefined)).status).toBe(406);
});
