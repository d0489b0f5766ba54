import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openSocket } from '../../../testkit/open-socket.js';
import { until } from '../../../testkit/until.js';
import { type Stage, startStage } from './stage.js';

/** Sends a path as it is: `fetch` would resolve its dot segments. Resolves with the status. */
async function get({ url, headers }: Stage, path: string): Promise<number> {
  const { socket, received } = openSocket(url);
  const sent = Object.entries({ Host: 'gateway', Connection: 'close', ...headers });
  socket.write(`GET ${path} HTTP/1.1\r\n${sent.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  await once(socket, 'close');
  return Number(received().split(' ')[1]);
}

test('a WebSocket is refused with a problem document', async () => {
  const { url, headers, upstream } = await startStage();
  const { socket, received } = openSocket(url);
  const sent = Object.entries({ Host: 'gateway', Connection: 'Upgrade', Upgrade: 'websocket', ...headers });
  socket.write(`GET /v1/realtime HTTP/1.1\r\n${sent.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  await until('the response', () => received().includes('}'));
  expect(received()).toMatch(/^HTTP\/1.1 426 .*application\/problem\+json.*"status":426/s);
  expect(upstream.requests).toEqual([]);
});

test.each([
  '/v1/files/file-1',
  '/v1/files/folder%2Ffile-1',
  '/v1/files/a%2fb%2Fc.d/content?purpose=x%2Fy',
  '/v1/models/org:model@2~x',
  '/v1/models/org%2Fmodel',
  '/v1/models/org%2Fmodel/endpoints',
])('the path %s reaches the model unchanged', async (path) => {
  const stage = await startStage();
  expect(await get(stage, path)).toBe(200);
  expect(stage.upstream.requests.map((it) => it.path)).toEqual([path]);
});

test.each([
  ...['/v1/files/..%2Fmodels', '/v1/files/a%2F..%2F..%2Fmodels', '/v1/files/%2E%2E%2Fmodels', '/v1/files/a%2F.%2Fb'],
  ...['/v1/files/%2Fa', '/v1/files/a%2F', '/v1/files/a%2F%2Fb', '/v1/files/a//b', '/v1/files/', '/v1/files%2Fa'],
  ...[
    '/v1/files/a%5Cb',
    '/v1/files/a\\b',
    '/v1/files/a\\..\\..\\models',
    '/v1/files/a%252Fb',
    '/v1/files/a%25',
    '/v1/files/a%',
  ],
  ...['/v1/files/a%00', '/v1/files/a%0Ab', '/v1/files/a%7F', '/v1/files/a%20b', '/v1/files/a%2', '/v1/files/a%C2%85'],
  ...['/v1/files/../models', '/v1/files/%2e%2e/models', '/v1/files/./a', '/v1/../v1/models', '/v1/files/a/..%2Fb'],
  ...[
    '/v1/models%2Fa',
    '/v1/models/a%2F..',
    '/openai/deployments/a%2Fchat/completions',
    '/v1/chat%2Fcompletions',
    '/v2/models',
    '//v1/models',
    '/v1',
  ],
])('the path %s is a 404', async (path) => {
  const stage = await startStage();
  expect(await get(stage, path)).toBe(404);
  expect(stage.upstream.requests).toEqual([]);
});
