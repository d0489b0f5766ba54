import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['format=xml', 'format', 'enum'],
  ['format=CSV', 'format', 'enum'],
  ['format=', 'format', 'string_too_short'],
  ['format=csv&format=csv', 'format', 'repeated'],
  ['cursor=abc', 'cursor', 'pattern_mismatch'],
  ['cursor=-1', 'cursor', 'pattern_mismatch'],
  ['cursor=12345678901234567', 'cursor', 'string_too_long'],
  ['session_id=a%20b', 'session_id', 'pattern_mismatch'],
  ['subject_id=', 'subject_id', 'string_too_short'],
  ['session_id=s1&subject_id=p', 'subject_id', 'exclusive'],
  ['minutes=5', 'minutes', 'extra_forbidden'],
])('rejects %s', async (query, parameter, code) => {
  const { request } = await startTestService();
  const { body } = await request(`/v1/export?${query}`);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter, code }] });
});

test('the error for two filters says that at most one is allowed', async () => {
  const { request } = await startTestService();
  const { body } = await request('/v1/export?session_id=s1&subject_id=p');
  expect(body.detail).toBe('Input should contain at most one of session_id and subject_id');
});

test('a cursor that no row has continues after its position', async () => {
  const service = await startTestService();
  await service.read({ heart_rate: 70 });
  expect((await service.request('/v1/export?cursor=9999999999999999')).body).toBe('');
  expect((await service.request('/v1/export?cursor=0')).body).toMatch(/^\{.+\}\n$/);
});
