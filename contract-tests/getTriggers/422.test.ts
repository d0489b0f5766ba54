import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['', 'missing'],
  ['?subject_id=', 'string_too_short'],
  ['?subject_id=a%20b', 'pattern_mismatch'],
  ['?subject_id=a&subject_id=b', 'repeated'],
])('the query "%s" is rejected with %s', async (query, code) => {
  const { request } = await startTestService();
  const { body } = await request(`/v1/triggers${query}`);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'subject_id', code }] });
});
