import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('the error for an unknown status lists the allowed ones', async () => {
  const { body } = await (await startTestService()).request('/webhooks/deliveries?status=lost');
  expect(body.errors).toEqual([expect.objectContaining({ code: 'enum', allowed: ['pending', 'delivered', 'failed'] })]);
});
