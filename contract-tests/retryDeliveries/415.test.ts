import { expect, test } from 'vitest';
import { sendRaw } from '../support/raw.js';
import { startTestService } from '../support/service.js';

test('a body that does not say that it is JSON is not supported', async () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const chunks = ['webhook_id=wh_1'];
  const answer = await sendRaw(await startTestService(), { path: '/webhooks/retries', headers, chunks });
  expect(answer.body).toMatchObject({ status: 415, code: 'unsupported_media_type' });
});
