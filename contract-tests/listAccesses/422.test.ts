import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each(['x', 'MTIz', Buffer.from('1.zz.2').toString('base64url')])('rejects the cursor %s', async (cursor) => {
  const service = await startTestService();
  await service.read({ subject_id: 'anna', heart_rate: 80 });
  expect(await service.request(`/v1/subjects/anna/accesses?cursor=${cursor}`)).toMatchObject({
    status: 422,
    body: { errors: [{ parameter: 'cursor', code: 'cursor_invalid' }] },
  });
});
