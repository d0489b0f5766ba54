import { expect, test } from '../../testkit/test.js';

test('the service is ready, without a key, when its migrations are current', async ({ service: { url } }) => {
  const answer = await fetch(`${url}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
});
