import { connections } from '../../generated/spec.js';
import { openSocket } from '../../testkit/open-socket.js';
import { countDescriptors } from '../../testkit/program.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const places = 50;

test('cut connections with queued responses release their slots', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: String(places) } });
  const request = `GET /v1/state?session_id=none HTTP/1.1\r\nHost: x\r\nX-Service-Key: ${service.key}\r\n\r\n`;
  const pipelined = connections.queued_responses_max;
  for (let sent = 0; sent < 10 * places; sent += pipelined) await sendAndCut(service, request.repeat(pipelined));
  // Waits until the last connections are reset.
  await until('a place is free', async () => (await statusesOf(service, 1))[0] === 404);
  expect(await statusesOf(service, places)).toEqual(new Array(places).fill(404));
});

test('every request of a cut connection is logged and counted once', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  const request = `GET /v1/state?session_id=none HTTP/1.1\r\nHost: x\r\nX-Service-Key: ${service.key}\r\n\r\n`;
  await sendAndCut(service, request.repeat(10));
  const lines = () => service.logs.filter((line) => line.includes('"operation":"getState"'));
  await until('ten lines', () => lines().length === 10);
  await service.request('/healthz');
  const ids = lines().map((line) => JSON.parse(line).request_id);
  expect(new Set(ids).size).toBe(10);
  const text = await (await fetch(service.metricsUrl ?? '')).text();
  const counts = [
    ...text.matchAll(/^state_service_http_request_duration_seconds_count\{operation="getState",.*\} (\d+)$/gm),
  ];
  expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(10);
});

test('a connection with too many queued responses is closed, and logged once', async ({ ownService: service }) => {
  for (const path of ['/v1/state', '/healthz', '/openapi.json', '/docs/'])
    await sendUntilClosed(service, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2_500));
  const handled = service.logs.filter((line) => line.includes('"msg":"request"'));
  expect(handled.length).toBeLessThanOrEqual(4 * (connections.queued_responses_max + 1));
  const closed = service.logs.filter((line) => line.includes('too many queued responses'));
  expect(closed.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, connections: 1 }]);
  expect((await service.request('/v1/state?session_id=none')).status).toBe(404);
});

test('with the maximum number of queued responses, all responses are sent in order', async ({ service }) => {
  const paths = Array.from({ length: connections.queued_responses_max }, (_, index) => `/v1/nothing-${index}`);
  const { socket, received } = openSocket(service.url);
  socket.write(
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Service-Key: ${service.key}\r\n\r\n`).join(''),
  );
  await until('all responses', () => (received().match(/"request_id"/g) ?? []).length === paths.length);
  expect(received().match(/HTTP\/1\.1 404 /g)).toHaveLength(paths.length);
  socket.destroy();
});

test('cut connections leak no file descriptors', async ({ ownService: service }) => {
  const before = countDescriptors('self');
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
  for (let round = 0; round < 40; round += 1) await sendAndCut(service, request.repeat(10));
  expect((await service.request('/healthz')).status).toBe(200);
  await until('files are closed', () => countDescriptors('self') <= before + 10);
});

async function statusesOf(service: TestService, count: number): Promise<number[]> {
  const statuses = [];
  for (let asked = 0; asked < count; asked += 1)
    statuses.push((await service.request('/v1/state?session_id=none')).status);
  return statuses;
}

/** Resolves when the bytes are sent and the connection is reset. */
async function sendAndCut(service: TestService, bytes: string): Promise<void> {
  const { socket } = openSocket(service.url);
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 1));
  socket.resetAndDestroy();
}

async function sendUntilClosed(service: TestService, bytes: string): Promise<void> {
  const { socket } = openSocket(service.url);
  socket.write(bytes, () => undefined);
  // Does not use `once`, because a reset emits an error before the close.
  await new Promise((resolve) => socket.once('close', resolve));
}
