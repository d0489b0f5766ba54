import { expect, test } from 'vitest';
import { createKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { startTestService } from '../../testkit/service.js';

test('a subject of another account gets the same response as an unknown subject', async () => {
  const { read, request, store, clock } = await startTestService();
  await read({ subject_id: 'anna', heart_rate: 70 });
  const { key } = await createKey(store.use(createKeyTable), { account: 'stranger', tier: 'solo' }, clock.nowMs);
  const asStranger = async (subject: string) => {
    const { body } = await request(`/v1/subjects/${subject}/summary`, { headers: { 'X-Service-Key': key } });
    return { ...body, request_id: '' };
  };
  expect(await asStranger('nobody')).toMatchObject({ status: 404, detail: 'No data for this subject' });
  expect(await asStranger('anna')).toEqual(await asStranger('nobody'));
  expect((await request('/v1/subjects/anna/summary')).status).toBe(200);
});

test('an erased subject has no summary', async () => {
  const { read, request } = await startTestService();
  await read({ subject_id: 'berta', heart_rate: 70 });
  await request('/v1/subjects/berta', { method: 'DELETE' });
  expect((await request('/v1/subjects/berta/summary')).body).toMatchObject({ code: 'subject_not_found' });
});
