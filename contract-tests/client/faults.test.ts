import { expect, test } from 'vitest';
import { createStateClient } from '../../clients/typescript/src/index.js';
import { type Fault, startFaultyProxy } from '../support/faulty-proxy.js';
import { startTestService } from '../support/service.js';

const faults: Fault[] = ['bad gateway', 'dropped', 'lost', 'slow', 'rate limited'];

test.each(faults)('a %s response to a reading is retried, and the reading is stored once', async (fault) => {
  const { url, key, clock } = await startTestService();
  const client = createStateClient({ baseUrl: await startFaultyProxy(url, [fault]), key, timeoutMs: 2000 });
  const session = fault.replace(' ', '-');
  const answered = await client.ingest({ session_id: session, timestamp: clock.at(), heart_rate: 90 });
  expect(answered).toMatchObject({ session_id: session });
  expect((await client.history(session)).datapoints).toHaveLength(1);
});

test.each<[Fault, string]>([
  ['bad gateway', 'UnexpectedAnswerError'],
  ['dropped', 'ConnectionError'],
  ['lost', 'ConnectionError'],
  ['slow', 'TimeoutError'],
])('a %s response to an erasure fails with its error and is not retried', async (fault, name) => {
  const { url, key, read } = await startTestService();
  await read({ subject_id: 'anna', heart_rate: 90 });
  const remaining: Fault[] = [fault, 'dropped'];
  const client = createStateClient({ baseUrl: await startFaultyProxy(url, remaining), key });
  await expect(client.deleteSubject('anna', { timeoutMs: 1000 })).rejects.toMatchObject({ name });
  expect(remaining).toEqual(['dropped']);
});

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
