import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('logs contain the request id and the outcome, but no keys, subject ids, session ids or texts', async () => {
  const { ingest, request, read, logs, key, accountId } = await startTestService({});
  const secrets = { session_id: 'session-of-anna', subject_id: 'subject-anna', user_message: 'my marker sentence' };
  await read({ ...secrets, ai_response: 'an answer to the marker', heart_rate: 70 });
  await ingest({ ...secrets, ai_response: 'an answer to the marker', heart_rate: 'marker' });
  await ingest({ ...secrets, subject_id: 'subject-bert', heart_rate: 71 });
  await request(`/v1/state?session_id=${secrets.session_id}`);
  await request('/v1/state?session_id=other', { headers: { 'X-Service-Key': `sk_${'7'.repeat(32)}` } });
  const text = logs.join('');
  for (const secret of ['anna', 'bert', 'marker', key, '7777777'])
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
  const ingests = logs.map((line) => JSON.parse(line)).filter((line) => line.operation === 'ingest');
  expect(ingests.map(({ status }) => status)).toEqual([200, 422, 422]);
  const lines = logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  expect(lines.map(({ status, account_id: account, key_id: keyId }) => [status, account, /^key_/.test(keyId)])).toEqual(
    [...[200, 422, 422, 200].map((status) => [status, accountId, true]), [401, undefined, false]],
  );
});

test.each([
  [401, []],
  [413, ['Content-Type: application/json', 'Content-Length: 5000']],
  [413, ['Content-Type: application/json', 'Transfer-Encoding: chunked']],
  [415, ['Content-Type: text/plain', 'Content-Length: 3000']],
])(
  'a connection that closes after a complete %i to a partly sent body (%j) is not logged as aborted',
  async (status, fields) => {
    const { url, key, logs } = await startTestService({});
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const identity = status === 401 ? ['Content-Length: 3'] : [`X-Service-Key: ${key}`];
    const head = ['POST /v1/ingest HTTP/1.1', 'Host: a', ...identity, ...fields, '', ''].join('\r\n');
    socket.write(`${head}${fields.some((it) => it.includes('chunked')) ? `1388\r\n${'a'.repeat(4_999)}` : 'ab'}`);
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"request_id":"[^"]*"[^]*}$`));
    socket.destroy();
    await expect.poll(() => logs.join('')).toContain(`"status":${status}`);
    expect(logs.join('')).not.toContain('aborted');
  },
);
