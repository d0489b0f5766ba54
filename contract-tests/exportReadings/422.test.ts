import { expect, test } from '../../testkit/test.js';

test('the error for two filters says that at most one is allowed', async ({ service: { request } }) => {
  const { body } = await request('/v1/export?session_id=s1&subject_id=p');
  expect(body.detail).toBe('Input should contain at most one of session_id and subject_id');
});

test('a cursor that no row has continues after its position', async ({ service }) => {
  await service.read({ heart_rate: 70 });
  expect((await service.request('/v1/export?cursor=9999999999999999')).body).toBe('');
  expect((await service.request('/v1/export?cursor=0')).body).toMatch(/^\{.+\}\n$/);
});
