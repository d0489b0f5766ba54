import { expect, test } from 'vitest';
import { createStateClient, type SessionClient } from '../src/index.js';
import { startTestService } from '../../../testkit/service.js';

test('a client with a token sends, reads and streams its session, and nothing else', async () => {
  const { url, key, clock } = await startTestService();
  const { token, ...issued } = await createStateClient({ baseUrl: url, key }).tokens.create({
    session_id: 's1',
    scopes: ['ingest', 'read'],
    expires_in: 60,
  });
  expect(issued).toMatchObject({ session_id: 's1', scopes: ['ingest', 'read'] });
  const client: SessionClient = createStateClient({ baseUrl: url, token });
  const reading = await client.ingest({ session_id: 's1', timestamp: clock.at(), heart_rate: 70 });
  expect((await client.state('s1')).stress_score).toBe(reading.stress_score);
  expect((await client.history('s1')).datapoints).toHaveLength(1);
  expect((await client.stream({ lastEventId: '0' }).next()).value?.data).toEqual(reading);
  await expect(client.state('s2')).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
});

test('a token function is called once, and a second time when its token has expired', async () => {
  const { url, key, clock } = await startTestService();
  const owner = createStateClient({ baseUrl: url, key });
  let calls = 0;
  const token = async () => {
    calls += 1;
    return (await owner.tokens.create({ session_id: 's1', scopes: ['ingest', 'read'], expires_in: 60 })).token;
  };
  const client = createStateClient({ baseUrl: url, token });
  const send = () => client.ingest({ session_id: 's1', timestamp: clock.at(), heart_rate: 70 });
  await send();
  await Promise.all([client.state('s1'), client.history('s1')]);
  expect(calls).toBe(1);
  clock.advance(61);
  await Promise.all([client.state('s1'), client.state('s1'), send()]);
  expect(calls).toBe(2);
});

test('a stream continues with a new token when its token has expired', async () => {
  const { url, key, clock, read } = await startTestService();
  const owner = createStateClient({ baseUrl: url, key });
  const token = async () => (await owner.tokens.create({ session_id: 's1', scopes: ['read'], expires_in: 60 })).token;
  const stream = createStateClient({ baseUrl: url, token }).stream({ lastEventId: '0' });
  const first = await read({ heart_rate: 70 });
  expect((await stream.next()).value?.data).toEqual(first);
  const next = stream.next();
  clock.advance(61);
  const second = await read({ heart_rate: 71 });
  expect((await next).value?.data).toEqual(second);
  clock.advance(61);
  const third = stream.next();
  const last = await read({ heart_rate: 72 });
  expect((await third).value?.data).toEqual(last);
  await stream.return();
});

test('the error of a token function rejects the call, and the next call requests a token again', async () => {
  const { url } = await startTestService();
  const unavailable = new Error('the backend is unavailable');
  let calls = 0;
  const token = () => {
    calls += 1;
    return Promise.reject(unavailable);
  };
  const client = createStateClient({ baseUrl: url, token });
  for (const expected of [1, 2]) {
    await expect(client.state('s1')).rejects.toBe(unavailable);
    expect(calls).toBe(expected);
  }
  await expect(client.stream({}, { maxRetries: 0 }).next()).rejects.toBe(unavailable);
});

test('an expired token that is a string rejects with 401', async () => {
  const { url, key, clock } = await startTestService();
  const { tokens } = createStateClient({ baseUrl: url, key });
  const { token } = await tokens.create({ session_id: 's1', scopes: ['read'], expires_in: 1 });
  clock.advance(2);
  const client = createStateClient({ baseUrl: url, token });
  await expect(client.state('s1')).rejects.toMatchObject({ code: 'invalid_token' });
  await expect(client.stream().next()).rejects.toMatchObject({ code: 'invalid_token' });
});
