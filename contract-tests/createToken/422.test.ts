import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

const valid = { session_id: 's1', scopes: ['read'] };

test.each([
  [{ ...valid, session_id: 'a b' }, '/session_id', 'pattern_mismatch'],
  [{ ...valid, session_id: '.' }, '/session_id', 'pattern_mismatch'],
  [{ ...valid, subject_id: '..' }, '/subject_id', 'pattern_mismatch'],
  [{ scopes: ['read'] }, '/session_id', 'missing'],
  [{ session_id: 's1' }, '/scopes', 'missing'],
  [{ ...valid, scopes: [] }, '/scopes', 'too_few_items'],
  [{ ...valid, scopes: ['erase'] }, '/scopes/0', 'enum'],
  [{ ...valid, scopes: ['read', 'read'] }, '/scopes', 'not_unique'],
  [{ ...valid, expires_in: 0 }, '/expires_in', 'greater_than_equal'],
  [{ ...valid, expires_in: 3601 }, '/expires_in', 'less_than_equal'],
  [{ ...valid, expires_in: '600' }, '/expires_in', 'integer_type'],
  [{ ...valid, account_id: 'acc_1' }, '/account_id', 'extra_forbidden'],
])('a token request with %j is rejected', async (request, pointer, code) => {
  const { body } = await (await startTestService()).post('/v1/tokens', request);
  expect(body).toMatchObject({ status: 422, errors: [{ pointer, code }] });
});
