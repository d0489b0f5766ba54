import { expect, test } from 'vitest';
import { sendRaw } from '../support/raw.js';
import { startTestService } from '../support/service.js';

test('a body of more than 4,096 bytes is too large, whatever is in it', async () => {
  const url = `https://8.8.8.8/${'x'.repeat(4096)}`;
  const chunks = [JSON.stringify({ url, events: ['state_change'] })];
  const answer = await sendRaw(await startTestService(), { path: '/webhooks/register', chunks });
  expect(answer.body).toMatchObject({ status: 413, detail: 'Body too large', code: 'body_too_large' });
});
