import { sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test.each(['/v1/subjects/', '/v1/subjects', '/v1/subjects/a/b', '/v1/subjects/%ZZ', '/v1/subjects/%ff'])(
  '%s is not a path of the contract',
  async (path) => {
    const service = await startTestService();
    expect((await sendRaw(service, { method: 'DELETE', path })).status).toBe(404);
  },
);

test('other methods than GET and DELETE on a subject get a 405', async ({ service }) => {
  const answer = await sendRaw(service, { method: 'PUT', path: '/v1/subjects/anna' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
});
