import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('the liveness probe requires no key', async () => {
  const { url } = await startTestService();
  const answer = await fetch(`${url}/healthz`);
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
});
