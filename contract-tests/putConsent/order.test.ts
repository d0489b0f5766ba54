/** A withdrawal and a reading that meet: the consent at the time of the reading's transaction counts. */
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.js';
import { allow, commitReading, setUp } from '../../testkit/consents.js';
import { startTestService } from '../../testkit/service.js';

const subject_id = 'anna';

test('a withdrawal that commits after a reading is prepared, and before its transaction, applies to it', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  const { store, clock } = service;
  await allow(service, subject_id, ['cardiovascular', 'vocal']);
  await service.read({ session_id: 'talk', subject_id, heart_rate: 70, tone: 'calm' });
  clock.advance(1);
  let isWithdrawn = false;
  const transact: Store['transact'] = async (work) => {
    if (!isWithdrawn) await allow(service, subject_id, ['vocal']);
    isWithdrawn = true;
    return store.transact(work);
  };
  const outcome = await commitReading(service, subject_id, transact);
  expect(isWithdrawn).toBe(true);
  expect(outcome).toMatchObject({ dropped: ['heart_rate'] });
  expect(String((await service.request('/v1/export?session_id=talk')).body)).not.toContain('143.8127');
});
