import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('with its migrations current the service is ready, without a key', async () => {
  const { url } = await startTestService();
  const answer = await fetch(`${url}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
});
