import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test.each([
  ['cursor=made-up', 'cursor', 'cursor_invalid'],
  ['cursor=', 'cursor', 'string_too_short'],
  ['subject_id=a%20b', 'subject_id', 'pattern_mismatch'],
  ['subject_id=a&subject_id=b', 'subject_id', 'repeated'],
  ['limit=5', 'limit', 'extra_forbidden'],
])('the query %s is rejected', async (query, parameter, code) => {
  const { body } = await (await startTestService()).request(`/v1/sessions?${query}`);
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ parameter, code }));
});
