import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('the service is ready, without a key, when its migrations are current', async () => {
  const { url } = await startTestService();
  const answer = await fetch(`${url}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
});
