import { expect, test } from 'vitest';
import { sendRaw } from '../support/raw.js';
import { startTestService } from '../support/service.js';

test.each([
  ['broken JSON', ['{"delivery_ids":[']],
  ['an empty body', []],
])('%s is an invalid payload', async (_name, chunks) => {
  const answer = await sendRaw(await startTestService(), { path: '/webhooks/retries', chunks });
  expect(answer.body).toMatchObject({ status: 400, detail: 'Invalid payload', code: 'invalid_payload' });
});
