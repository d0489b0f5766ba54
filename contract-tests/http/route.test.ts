import { connect } from 'node:net';
import { sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test.each(
  '/ /v1 /v1/ingest/ /V1/ingest /v2/ingest /v1/%69ngest /v1/state%00 /%ZZ /..%2f /webhooks/ /v1/webhooks /webhooks/a/b /webhooks//test'.split(
    ' ',
  ),
)('%s is not a path of the contract', async (path) => {
  const service = await startTestService();
  const answer = await sendRaw(service, { method: 'GET', path });
  expect(answer.body).toMatchObject({ status: 404, detail: 'No such path', code: 'path_not_found' });
});

test.each([
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server?x=1',
  '/register',
  '/authorize?client_id=x',
])('%s is a 404 without a key, so that MCP clients do not start OAuth', async (path) => {
  const service = await startTestService();
  for (const method of ['GET', 'POST']) {
    const answer = await sendRaw(service, { method, path, headers: { 'X-Service-Key': [] } });
    expect([answer.status, answer.body['code']]).toEqual([404, 'path_not_found']);
  }
});

test.each(['/well-known/x', '/register/x', '/v1/register', '/authorized', '/.well-known'])(
  '%s is a 401 without a key, like every unknown path',
  async (path) => {
    const service = await startTestService();
    expect((await sendRaw(service, { method: 'GET', path, headers: { 'X-Service-Key': [] } })).status).toBe(401);
  },
);

test.each([
  ['GET', '/v1/ingest', 'POST'],
  ['PUT', '/v1/ingest', 'POST'],
  ['OPTIONS', '/v1/ingest', 'POST'],
  ['TRACE', '/v1/ingest', 'POST'],
  ['PROPFIND', '/v1/ingest', 'POST'],
  ['HEAD', '/v1/ingest', 'POST'],
  ['POST', '/v1/state', 'GET, HEAD'],
  ['OPTIONS', '/v1/history', 'GET, HEAD'],
  ['DELETE', '/healthz', 'GET, HEAD'],
  ['GET', '/webhooks/register', 'POST'],
  ['POST', '/webhooks', 'GET, HEAD'],
  ['DELETE', '/webhooks/retries', 'GET, HEAD, POST'],
  ['GET', '/webhooks/wh_1', 'DELETE'],
  ['DELETE', '/webhooks/deliveries', 'GET, HEAD'],
  ['PUT', '/webhooks/deliveries/test', 'POST, GET, HEAD'],
  ['DELETE', '/webhooks/wh_1/test', 'POST'],
  ['GET', '/webhooks/wh_1/rotate-secret', 'POST'],
])('%s %s is not allowed, and Allow lists the allowed methods', async (method, path, allow) => {
  const service = await startTestService();
  const answer = await sendRaw(service, { method, path });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe(allow);
  if (method !== 'HEAD')
    expect(answer.body).toMatchObject({ detail: 'Method not allowed', code: 'method_not_allowed' });
});

test('path and method are checked before the body', async ({ service }) => {
  const chunks = ['x'.repeat(5000)];
  expect((await sendRaw(service, { path: '/nowhere', chunks })).status).toBe(404);
  expect((await sendRaw(service, { path: '/v1/state', chunks })).status).toBe(405);
});

test('every response has a unique request id, which is also in its log line', async ({ service }) => {
  const answers = [await service.request('/healthz'), await service.request('/nowhere')];
  const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
  expect(new Set(ids).size).toBe(2);
  expect(answers[1]?.body.request_id).toBe(ids[1]);
  for (const id of ids) expect(service.logs.some((line) => JSON.parse(line).request_id === id)).toBe(true);
});

test('responses do not contain the name of the framework', async ({ service: { request } }) => {
  expect((await request('/healthz')).headers.get('x-powered-by')).toBeNull();
});

test('a target in absolute form is routed by its path and query, and a target with a fragment is unknown', async () => {
  const { url, key } = await startTestService();
  const ask = (target: string) => exchange(url, `GET ${target} HTTP/1.1\r\nHost: x\r\nX-Service-Key: ${key}\r\n\r\n`);
  expect(await ask('http://any.host/healthz')).toContain('{"status":"ok"}');
  expect(await ask('http://any.host/v1/state?session_id=none')).toContain('"code":"session_not_found"');
  expect(await ask('/v1/state#x')).toContain('"code":"path_not_found"');
});

test.each([
  ['a broken request line', 'GARBAGE\r\n\r\n', 400, 'invalid_payload'],
  [
    'a broken chunk',
    'POST /v1/ingest HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    400,
    'invalid_payload',
  ],
  ['HTTP/1.1 without a Host header', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'invalid_payload'],
  ['HTTP/1.1 with two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400, 'invalid_payload'],
  ['HTTP/0.9', 'GET /healthz\r\n\r\n', 400, 'invalid_payload'],
  ['HTTP/2.0 in HTTP/1 form', 'GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n', 400, 'invalid_payload'],
  ['a page requested without Host', 'GET /docs/ HTTP/1.1\r\n\r\n', 400, 'invalid_payload'],
  [
    'a request with headers of 20 KB',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
])('malformed HTTP (%s) gets a problem response', async (_name, bytes, status, code) => {
  const { url } = await startTestService();
  const answer = await exchange(url, bytes);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(answer).toMatch(/x-request-id: \S+/i);
  expect(answer).toContain(`"code":"${code}"`);
});

test('HTTP/1.0 requires no Host header', async ({ service: { url } }) => {
  expect(await exchange(url, 'GET /healthz HTTP/1.0\r\n\r\n')).toContain('"status":"ok"');
});

/** Sends raw bytes. Resolves with the received data when the server closes or a response is complete. */
function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
      if (/"request_id"|"status":"ok"/.test(answer)) socket.end();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
