import { expect, test } from 'vitest';
import { sendRaw } from '../support/raw.js';
import { startTestService } from '../support/service.js';

test('a body of more than 4,096 bytes is too large', async () => {
  const chunks = [
    JSON.stringify({ delivery_ids: Array.from({ length: 100 }, (_, index) => `dlv_${index}`.padEnd(60)) }),
  ];
  const answer = await sendRaw(await startTestService(), { path: '/webhooks/retries', chunks });
  expect(answer.body).toMatchObject({ status: 413, code: 'body_too_large' });
});
