import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('an erased subject has no summary', async () => {
  const { read, request } = await startTestService();
  await read({ subject_id: 'berta', heart_rate: 70 });
  await request('/v1/subjects/berta', { method: 'DELETE' });
  expect((await request('/v1/subjects/berta/summary')).body).toMatchObject({ code: 'subject_not_found' });
});
