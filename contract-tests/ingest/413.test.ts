import { expect, test } from 'vitest';
import { bodyOfBytes, expectNothingStored, sendRaw } from '../support/raw.js';
import { startTestService } from '../support/service.js';

test('4,096 bytes are read, declared or chunked', async () => {
  const service = await startTestService();
  const body = bodyOfBytes(service, 4096);
  const declared = await sendRaw(service, { headers: { 'Content-Length': '4096' }, chunks: [body] });
  const chunked = await sendRaw(service, { chunks: [body.slice(0, 100), body.slice(100)] });
  expect([declared.status, chunked.status]).toEqual([200, 200]);
});

test('4,097 bytes are too large, declared or chunked', async () => {
  const service = await startTestService();
  const body = bodyOfBytes(service, 4097);
  const declared = await sendRaw(service, { headers: { 'Content-Length': '4097' }, chunks: [body] });
  const chunked = await sendRaw(service, { chunks: [body.slice(0, 4000), body.slice(4000)] });
  for (const answer of [declared, chunked])
    expect(answer.body).toMatchObject({ status: 413, detail: 'Body too large', code: 'body_too_large' });
  await expectNothingStored(service);
});

test('the limit counts bytes, not characters', async () => {
  const service = await startTestService();
  const body = { heart_rate: 70, user_message: '😀'.repeat(1100) };
  expect((await service.ingest(body)).status).toBe(413);
});
