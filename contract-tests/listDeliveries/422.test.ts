import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['status=pending', 'status', 'enum'],
  ['status=', 'status', 'string_too_short'],
  ['cursor=made-up', 'cursor', 'cursor_invalid'],
  ['since=yesterday', 'since', 'pattern_mismatch'],
  ['webhook_id=a%20b', 'webhook_id', 'pattern_mismatch'],
  ['session_id=a&session_id=b', 'session_id', 'repeated'],
  ['limit=5', 'limit', 'extra_forbidden'],
])('the query %s is rejected', async (query, parameter, code) => {
  const { body } = await (await startTestService()).request(`/webhooks/deliveries?${query}`);
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ parameter, code }));
});

test('the error for an unknown status lists the allowed ones', async () => {
  const { body } = await (await startTestService()).request('/webhooks/deliveries?status=lost');
  expect(body.errors).toEqual([expect.objectContaining({ code: 'enum', allowed: ['delivered', 'failed'] })]);
});
