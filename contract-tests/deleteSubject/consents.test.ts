import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { allow, setUp } from '../../testkit/consents.js';
import { startTestService } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';

test('an erasure deletes every version of the consent, also of a person without readings', async () => {
  const service = await setUp(await startTestService({}), { consent: 'enforce' });
  const [subject_id, silent, record_id] = [randomUUID(), randomUUID(), randomUUID()] as const;
  for (const category of ['vocal', 'cardiovascular'] as const) {
    for (const id of [subject_id, silent, 'other'])
      await allow(service, id, [category], { record_id: id === 'other' ? 'crm-other' : record_id });
    service.clock.advance(1);
  }
  await service.read({ subject_id, heart_rate: 80 });
  service.clock.advance(1);
  for (const id of [subject_id, silent]) {
    expect((await service.request(`/v1/subjects/${id}`, { method: 'DELETE' })).status).toBe(200);
    for (const path of ['consent', 'consent/versions'])
      expect((await service.request(`/v1/subjects/${id}/${path}`)).body.code).toBe('consent_not_found');
  }
  const stored = await everythingStored(service.database);
  for (const it of [subject_id, silent, record_id]) expect(stored).not.toContain(it);
  expect((await service.request('/v1/subjects/other/consent')).body).toMatchObject({ version: 2 });
  expect((await service.ingest({ subject_id, heart_rate: 80 })).body.code).toBe('consent_required');
  expect(await allow(service, subject_id, ['cardiovascular'])).toMatchObject({ version: 1 });
});
