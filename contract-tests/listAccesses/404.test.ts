import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('a person without data has no accesses', async () => {
  const service = await startTestService();
  expect(await service.request('/v1/subjects/unknown/accesses')).toMatchObject({
    status: 404,
    body: { code: 'subject_not_found' },
  });
});
