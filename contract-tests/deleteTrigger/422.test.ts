import { expect, test } from 'vitest';
import { sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['Exams', 'pattern_mismatch'],
  ['x'.repeat(65), 'string_too_long'],
])('the topic %s is rejected with %s', async (topic, code) => {
  const service = await startTestService();
  const { body } = await sendRaw(service, { method: 'DELETE', path: `/v1/subjects/anna/triggers/${topic}` });
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'topic', code }] });
});
