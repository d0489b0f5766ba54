import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test.each(['/healthz', '/readyz'])('%s takes no parameters', async (path) => {
  const { request } = await startTestService();
  const { body } = await request(`${path}?verbose=1`);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'verbose', code: 'extra_forbidden' }] });
});
