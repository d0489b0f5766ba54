import { setUp } from '../../testkit/consents.js';
import { requestsThatMayGet } from '../../testkit/documented-requests.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

/** The byte order mark of UTF-8, as RFC 8259 allows receivers to ignore it. */
const mark = '\ufeff';

/** Sends a body with a byte order mark, or without one. */
async function send(service: TestService, path: string, body: string, type = 'application/json', headers = {}) {
  const init = { method: 'POST', headers: { 'Content-Type': type, ...headers }, body };
  const answer = await service.request(path, init);
  return { status: answer.status, body: { ...answer.body, request_id: undefined } };
}

const withBody = requestsThatMayGet(415).map((it) => [it.operationId, it] as const);

test.each(withBody)('%s ignores a byte order mark before its body', async (_, { path, init }) => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  const text = String(init.body).replaceAll(/2026-11-21T0\d:30:00\.000Z/g, service.clock.at());
  const answer = await service.request(path, { ...init, body: mark + text });
  expect(answer.body?.code).not.toBe('invalid_payload');
  const again = await service.request(path, { ...init, body: text });
  expect(again.body?.code).toBe(answer.body?.code);
});

test('a reading with a byte order mark is a resend of the same reading without one', async ({ service }) => {
  const reading = JSON.stringify({ session_id: 's1', timestamp: service.clock.at(), heart_rate: 95 });
  const first = await send(service, '/v1/ingest', reading);
  expect(first.status).toBe(200);
  expect(await send(service, '/v1/ingest', mark + reading)).toEqual(first);
  for (const [type, body] of [
    ['application/json', `${mark}[${reading}]`],
    ['application/json', `${mark} \n[${reading}]`],
    ['application/x-ndjson', `${mark}${reading}\n`],
    ['application/x-ndjson', `${mark}\n${reading}`],
  ] as const) {
    const { body: batch } = await send(service, '/v1/ingest/batch', body, type);
    expect([type, batch.accepted, batch.results[0].state.stress_score]).toEqual([type, 1, first.body.stress_score]);
  }
  const { datapoints } = (await service.request('/v1/history?session_id=s1')).body;
  expect(datapoints).toHaveLength(1);
});

test('a request with a byte order mark and the same Idempotency-Key gets the stored response', async ({ service }) => {
  const body = JSON.stringify({ url: 'https://example.com/hook', events: ['state_change'] });
  const key = { 'Idempotency-Key': 'one' };
  const first = await send(service, '/webhooks/register', body, undefined, key);
  expect(first.status).toBe(201);
  expect(await send(service, '/webhooks/register', mark + body, undefined, key)).toEqual(first);
});

test('a byte order mark alone or inside a body is invalid, and positions do not count one before the body', async () => {
  const service = await startTestService();
  for (const body of [mark, `${mark}${mark}{}`, `{${mark}}`, `{}${mark}`])
    expect([body, (await send(service, '/v1/ingest', body)).body.code]).toEqual([body, 'invalid_payload']);
  for (const before of ['', mark]) {
    const { body } = await send(service, '/v1/ingest', `${before}{"heart_rate": }`);
    expect(body.position).toEqual({ line: 1, column: 16 });
  }
});

test('a message of MCP may begin with a byte order mark', async ({ service: { url, key } }) => {
  const headers = {
    ...{ 'X-Service-Key': key, 'Content-Type': 'application/json' },
    Accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  for (const before of ['', mark]) {
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body: before + body });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('get_human_state')]);
  }
});
