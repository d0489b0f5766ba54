import { expect, test } from '../../testkit/test.js';

test('the liveness probe requires no key', async ({ service: { url } }) => {
  const answer = await fetch(`${url}/healthz`);
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
});
