import { expect, test } from 'vitest';
import { expectNothingStored, sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/problem+json',
  'application/jsonx',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  '',
])('content type "%s" is not supported', async (type) => {
  const service = await startTestService();
  const body = JSON.stringify({ session_id: 's1', timestamp: service.clock.at(), heart_rate: 70 });
  const answer = await sendRaw(service, { headers: { 'Content-Type': type }, chunks: [body] });
  expect(answer.body).toMatchObject({
    status: 415,
    detail: `Unsupported media type: received ${type || 'no Content-Type'}. Send Content-Type: application/json, UTF-8 and not compressed`,
    code: 'unsupported_media_type',
  });
  await expectNothingStored(service);
});

test.each(['application/json', 'APPLICATION/JSON', 'application/json; charset=UTF-8', 'application/json;version=1'])(
  'content type "%s" is accepted as JSON',
  async (type) => {
    const service = await startTestService();
    const body = JSON.stringify({ session_id: 's1', timestamp: service.clock.at(), heart_rate: 70 });
    expect((await sendRaw(service, { headers: { 'Content-Type': type }, chunks: [body] })).status).toBe(200);
  },
);
