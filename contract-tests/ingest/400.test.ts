import { requiredNames } from '../../packages/score/signals.js';
import { expectNothingStored, sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test.each([
  ['broken JSON', '{"session_id":'],
  ['a bare word', 'hello'],
  ['two documents', '{}{}'],
  ['a comment', '{/**/}'],
  ['NaN', '{"heart_rate":NaN}'],
  ['white space only', '   '],
  ['unclosed deep nesting', '['.repeat(1500)],
])('a body with %s is an invalid payload', async (_name, body) => {
  const service = await startTestService();
  const answer = await sendRaw(service, { chunks: [body] });
  expect(answer.body).toMatchObject({ status: 400, detail: 'Invalid payload', code: 'invalid_payload' });
});

test('the error names the position at which the body stops being JSON, and an empty body has no position', async () => {
  const service = await startTestService();
  const broken = await sendRaw(service, { chunks: ['{\n  "session_id": "s1",\n  "heart_rate": 88,\n}'] });
  expect(broken.body).toMatchObject({ status: 400, detail: 'Invalid payload', position: { line: 4, column: 1 } });
  expect((await sendRaw(service, { chunks: ['  '] })).body).not.toHaveProperty('position');
});

test('an empty body, declared or chunked, is an invalid payload', async ({ service }) => {
  for (const headers of [{ 'Content-Length': '0' }, { 'Transfer-Encoding': 'chunked' }] as const) {
    const answer = await sendRaw(service, { headers });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_payload' });
  }
});

test.each([[{}], [{ user_message: 'I am late' }], [{ user_message: 'a', ai_response: 'b', subject_id: 'anna' }]])(
  'a reading without a signal is rejected: %j',
  async (signals) => {
    const service = await startTestService();
    const answer = await service.ingest(signals);
    expect(answer.body).toMatchObject({
      status: 400,
      detail: expect.stringMatching(
        `^Missing signals: send at least one of ${requiredNames.join(', ')}, or user_message with derive_sentiment: true. .*accounts set ACCOUNT derive-sentiment on$`,
      ),
      code: 'missing_signals',
    });
    await expectNothingStored(service);
  },
);

test('accepts a reading that is 300 s old and rejects an older one', async ({ service }) => {
  expect((await service.ingest({ session_id: 'edge', heart_rate: 70, timestamp: service.clock.at(-300) })).status).toBe(
    200,
  );
  const answer = await service.ingest({ heart_rate: 70, timestamp: service.clock.at(-300.001) });
  expect(answer.body).toMatchObject({ status: 400, code: 'timestamp_too_old' });
  expect(answer.body.detail).toMatch(/^Timestamp too old: it is 300\.001 s old, at most 300 s are allowed\. /);
  expect(answer.body.detail).toContain(`Server time is ${service.clock.at()}.`);
  await expectNothingStored(service);
});

test('accepts a timestamp 60 s in the future and rejects a later one', async ({ service }) => {
  expect((await service.ingest({ session_id: 'edge', heart_rate: 70, timestamp: service.clock.at(60) })).status).toBe(
    200,
  );
  const answer = await service.ingest({ heart_rate: 70, timestamp: service.clock.at(60.001) });
  expect(answer.body).toMatchObject({ status: 400, code: 'timestamp_in_future' });
  expect(answer.body.detail).toMatch(/^Timestamp in the future: it is 60\.001 s ahead, at most 60 s are allowed\. /);
  expect(answer.body.detail).toContain(`Server time is ${service.clock.at()}.`);
  await expectNothingStored(service);
});

test('MAX_TIMESTAMP_AGE_SECONDS sets the accepted age', async () => {
  const service = await startTestService({ env: { MAX_TIMESTAMP_AGE_SECONDS: '10' } });
  const answer = await service.ingest({ heart_rate: 70, timestamp: service.clock.at(-11) });
  expect(answer.body).toMatchObject({ code: 'timestamp_too_old' });
});

test('a resend whose timestamp is now too old is rejected', async ({ service }) => {
  const body = { heart_rate: 70, timestamp: service.clock.at() };
  await service.read(body);
  service.clock.advance(301);
  expect((await service.ingest(body)).body).toMatchObject({ code: 'timestamp_too_old' });
});

test('validation errors precede missing signals, and missing signals precede an old timestamp', async ({ service }) => {
  const timestamp = service.clock.at(-9999);
  expect((await service.ingest({ timestamp })).body).toMatchObject({ code: 'missing_signals' });
  expect((await service.ingest({ timestamp, tone: 'loud' })).body).toMatchObject({ status: 422 });
});
