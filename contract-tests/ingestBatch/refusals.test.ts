import { batch as limits } from '../../generated/spec.js';
import { batchResults, ndjson, postBatch } from '../../testkit/batch.js';
import { openRequest } from '../../testkit/open-request.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const headers = { 'Content-Type': 'application/x-ndjson' };

test.each([
  ['empty', ''],
  ['of empty lines', '\n \r\n\t\n'],
])('a body that is %s is rejected as a whole', async (_, body) => {
  const { request } = await startTestService();
  const answer = await request('/v1/ingest/batch', { method: 'POST', headers, body });
  expect(answer.body).toMatchObject({ status: 400, code: 'invalid_payload' });
});

test('a body with too many lines is rejected as a whole and stores nothing', async ({ service }) => {
  const line = (index: number) => ({ session_id: 'many', timestamp: service.clock.at(-index / 100), heart_rate: 80 });
  const lines = Array.from({ length: limits.lines_max + 1 }, (_, index) => line(index));
  const { body } = await postBatch(service, lines);
  expect(body).toMatchObject({ status: 422, errors: [{ code: 'too_many_items', pointer: '' }] });
  expect((await service.request('/v1/state?session_id=many')).status).toBe(404);
});

test('a body of more than 1 MB is rejected, and a body of 1 MB is read', async ({ service }) => {
  const line = ndjson([{ session_id: 'big', timestamp: service.clock.at(), heart_rate: 80 }]);
  const send = (bytes: number) =>
    service.request('/v1/ingest/batch', { method: 'POST', headers, body: line.padEnd(bytes, '\n') });
  expect((await send(limits.max_bytes + 1)).body).toMatchObject({ status: 413, code: 'body_too_large' });
  expect((await send(limits.max_bytes)).body.results).toMatchObject([{ line: 1, status: 200 }]);
});

test('a body of another media type is rejected, and the error names both media types', async () => {
  const { request } = await startTestService();
  const text = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a' };
  const { status, body } = await request('/v1/ingest/batch', text);
  expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  expect(body.detail).toContain('Send Content-Type: application/json or application/x-ndjson');
});

test('a line of another subject than that of its session is rejected alone', async ({ service }) => {
  const line = (subject_id: string, seconds: number) => {
    return { session_id: 'bound', subject_id, timestamp: service.clock.at(seconds), heart_rate: 80 };
  };
  const results = await batchResults(service, [line('anna', 0), line('berta', 1), line('anna', 2)]);
  expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([200, 'subject_mismatch', 200]);
});

test('slow uploads of many accounts do not block the batches of other accounts', async ({ service }) => {
  const slow = await Promise.all(
    Array.from({ length: limits.in_progress_max + 1 }, async () => openRequest(await startTestService(), true)),
  );
  const line = { session_id: 'meanwhile', timestamp: service.clock.at(), heart_rate: 80 };
  expect((await postBatch(service, [line])).status).toBe(200);
  for (const finish of slow) expect(await finish()).toBe(200);
});

test('an account may have four batches in progress, and other accounts are not affected', async ({ service }) => {
  const unfinished = await Promise.all(Array.from({ length: 4 }, () => openRequest(service, true)));
  const line = { session_id: 'fifth', timestamp: service.clock.at(), heart_rate: 80 };
  const fifth = await postBatch(service, [line]);
  expect(fifth).toMatchObject({ status: 429, body: { violated_policies: ['batches'] } });
  expect(fifth.headers.get('Retry-After')).toBe('1');
  const other = await startTestService();
  expect((await postBatch(other, [line])).status).toBe(200);
  for (const finish of unfinished) expect(await finish()).toBe(200);
  await expect.poll(async () => (await postBatch(service, [line])).status).toBe(200);
});
