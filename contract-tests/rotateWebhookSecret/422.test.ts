import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

const init = { method: 'POST' };

test.each([
  ['a%20b', 'pattern_mismatch'],
  ['%C3%A4', 'pattern_mismatch'],
  ['x'.repeat(257), 'string_too_long'],
])('the id %s is refused with %s', async (id, code) => {
  const { body } = await (await startTestService()).request(`/webhooks/${id}/rotate-secret`, init);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'id', code }] });
});

test('query parameters are refused', async () => {
  const { body } = await (await startTestService()).request('/webhooks/wh_1/rotate-secret?now=1', init);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'now', code: 'extra_forbidden' }] });
});
