import { expect, test } from 'vitest';
import { createStateClient } from '../../clients/typescript/src/index.js';
import { startFaultyProxy } from '../support/faulty-proxy.js';
import { startTestService } from '../support/service.js';

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
