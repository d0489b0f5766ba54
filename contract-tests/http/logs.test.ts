import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('logs contain the request id and the outcome, but no keys, subject ids, session ids or texts', async () => {
  const { ingest, request, read, logs, key } = await startTestService({});
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
});

test('a connection that closes after a complete response to an unread body is not logged as aborted', async () => {
  const { url, key, logs } = await startTestService({});
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = ['POST /v1/ingest HTTP/1.1', 'Host: a', `X-Service-Key: ${key}`, 'Content-Type: text/plain'];
  socket.write([...head, 'Content-Length: 3', '', 'ab'].join('\r\n'));
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => logs.join('')).toContain('"status":415');
  expect(logs.join('')).not.toContain('aborted');
});
