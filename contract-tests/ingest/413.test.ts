import { request as httpRequest } from 'node:http';
import { bodyOfBytes, expectNothingStored, sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('a body of 4,096 bytes is accepted, declared or chunked', async ({ service }) => {
  const body = bodyOfBytes(service, 4096);
  const declared = await sendRaw(service, { headers: { 'Content-Length': '4096' }, chunks: [body] });
  const chunked = await sendRaw(service, { chunks: [body.slice(0, 100), body.slice(100)] });
  expect([declared.status, chunked.status]).toEqual([200, 200]);
});

test('a body of 4,097 bytes is too large, declared or chunked', async ({ service }) => {
  const body = bodyOfBytes(service, 4097);
  const declared = await sendRaw(service, { headers: { 'Content-Length': '4097' }, chunks: [body] });
  const chunked = await sendRaw(service, { chunks: [body.slice(0, 4000), body.slice(4000)] });
  for (const answer of [declared, chunked])
    expect(answer.body).toMatchObject({ status: 413, detail: 'Body too large', code: 'body_too_large' });
  await expectNothingStored(service);
});

test('the limit counts bytes, not characters', async ({ service }) => {
  const body = { heart_rate: 70, user_message: '😀'.repeat(1100) };
  expect((await service.ingest(body)).status).toBe(413);
});

test('a body is rejected before it is sent if its declared length is too large, and at the limit if it has no declared length', async () => {
  const { url, key } = await startTestService();
  const ask = (headers: Record<string, string>, body?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${url}/v1/ingest`, {
        method: 'POST',
        headers: { 'X-Service-Key': key, 'Content-Type': 'application/json', ...headers },
      });
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
      // The body never ends. The response must arrive nevertheless.
      if (body) request.write(body);
    });
  expect(await ask({ 'Content-Length': '4097' })).toBe(413);
  expect(await ask({ 'Content-Length': '1000000000000' })).toBe(413);
  expect(await ask({ 'Transfer-Encoding': 'chunked' }, 'x'.repeat(5000))).toBe(413);
});
