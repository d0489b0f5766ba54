import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('query parameters are refused', async () => {
  const { body } = await (await startTestService()).request('/webhooks?limit=5');
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'limit', code: 'extra_forbidden' }] });
});
