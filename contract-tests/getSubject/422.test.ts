import { expect, test } from 'vitest';
import { sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['a%20b', 'subject_id', 'pattern_mismatch'],
  ['%00', 'subject_id', 'pattern_mismatch'],
  ['x'.repeat(257), 'subject_id', 'string_too_long'],
  ['anna?text=1', 'text', 'extra_forbidden'],
])('/v1/subjects/%s is rejected: %s, %s', async (subject, parameter, code) => {
  const service = await startTestService();
  const { body } = await sendRaw(service, { method: 'GET', path: `/v1/subjects/${subject}` });
  expect(body).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ parameter, code }] });
});
