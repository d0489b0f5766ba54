import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { createStateClient } from '../src/index.js';
import { startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { listen } from '../../../testkit/listen.js';
import { startTestService } from '../../../testkit/service.js';

test('a call ends at its own timeout, number of retries and signal', async () => {
  const { url, key } = await startTestService();
  const client = createStateClient({ baseUrl: await startFaultyProxy(url, Array(9).fill('slow')), key });
  await expect(client.state('s1', { timeoutMs: 50, maxRetries: 1 })).rejects.toMatchObject({
    name: 'TimeoutError',
    timeoutMs: 50,
  });
  const stop = new AbortController();
  const call = client.state('s1', { signal: stop.signal });
  stop.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
});

test('an export that ends inside a row continues after its last complete row, without a second header row', async () => {
  const header = 'heart_rate,cursor\r\n';
  const parts = [header, `${header}70,1\r\n71,`, '71,2\r\n'];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const body = parts.shift();
    // The second response ends as if it were complete.
    response.writeHead(200, {
      'Content-Type': 'text/csv',
      'Content-Length': body === header ? 99 : String(body).length,
    });
    response.write(String(body), () => (body === header ? response.destroy() : response.end()));
  });
  const client = createStateClient({ baseUrl: await listen(server), key: 'sk_x' });
  const lost: string[] = [];
  const onDisconnect = ({ name }: Error) => void lost.push(name);
  const rows = [];
  for await (const it of client.exportRows({ format: 'csv', onDisconnect })) rows.push(it);
  expect(rows.map(({ text }) => text).join('')).toBe(`${header}70,1\r\n71,2\r\n`);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  expect(rows.at(-1)?.cursor).toBe('2');
  expect(asked.map((url) => new URL(url, 'http://x').searchParams.get('cursor'))).toEqual([null, null, '1']);
  expect(lost).toEqual(['ConnectionError', 'ConnectionError']);
});
