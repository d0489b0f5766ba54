import { expect, test } from 'vitest';
import { sendRaw } from '../support/raw.js';
import { startTestService } from '../support/service.js';

const path = '/webhooks/register';

test.each([
  ['broken JSON', ['{"url":']],
  ['an empty body', []],
  ['bytes that are not UTF-8', [Buffer.from([0x22, 0xc3, 0x28, 0x22])]],
])('%s is an invalid payload', async (_name, chunks) => {
  const answer = await sendRaw(await startTestService(), { path, chunks });
  expect(answer.body).toMatchObject({ status: 400, detail: 'Invalid payload', code: 'invalid_payload' });
});
