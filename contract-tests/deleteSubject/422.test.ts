import { expect, test } from 'vitest';
import { sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['a%20b', 'pattern_mismatch'],
  ['%00', 'pattern_mismatch'],
  ['%F0%9F%99%82', 'pattern_mismatch'],
  ['x'.repeat(257), 'string_too_long'],
])('subject_id %s is rejected with %s', async (subject, code) => {
  const service = await startTestService();
  const { body } = await sendRaw(service, { method: 'DELETE', path: `/v1/subjects/${subject}` });
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'subject_id', code }] });
});

test.each(['/v1/subjects/', '/v1/subjects', '/v1/subjects/a/b', '/v1/subjects/%ZZ', '/v1/subjects/%ff'])(
  '%s is not a path of the contract',
  async (path) => {
    const service = await startTestService();
    expect((await sendRaw(service, { method: 'DELETE', path })).status).toBe(404);
  },
);

test('other methods than GET and DELETE on a subject get a 405', async () => {
  const service = await startTestService();
  const answer = await sendRaw(service, { method: 'PUT', path: '/v1/subjects/anna' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
});
