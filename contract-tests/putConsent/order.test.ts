/** A withdrawal and a reading that meet: the consent at the time of the reading's transaction counts. */
import { expect, onTestFinished, test } from 'vitest';
import { createGroups } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/intake.js';
import type { Store } from '../../src/store/store.js';
import { allow, setUp } from '../support/consents.js';
import { startTestService } from '../support/service.js';
import { erasing } from '../support/stored.js';

const subject_id = 'anna';

test('a withdrawal that commits after a reading is prepared, and before its transaction, applies to it', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  const { store, accountId, clock } = service;
  await allow(service, subject_id, ['cardiovascular', 'vocal']);
  await service.read({ session_id: 'talk', subject_id, heart_rate: 70, tone: 'calm' });
  clock.advance(1);
  let isWithdrawn = false;
  const transact: Store['transact'] = async (work) => {
    if (!isWithdrawn) await allow(service, subject_id, ['vocal']);
    isWithdrawn = true;
    return store.transact(work);
  };
  const parts = { ...erasing(service, { ...store, transact }), onEvents() {}, onCommitted() {} };
  const { commit, close } = createGroups({ ...parts, admitSession: async () => undefined });
  onTestFinished(close);
  const reading: PreparedReading = {
    ...{ accountId, sessionId: 'talk', subjectId: subject_id, digest: '0123456789ab', timestampMs: clock.nowMs },
    signals: { heart_rate: 143.8127, tone: 'hostile' },
    consent: { hasPurpose: false, texts: [], isTextRead: true },
  };
  const caller = { accountId, keyId: 'key_1', tier: 'solo', settings: { consent: 'enforce' } } as const;
  const [outcome] = await commit(caller, [reading]);
  expect(isWithdrawn).toBe(true);
  expect(outcome).toMatchObject({ dropped: ['heart_rate'] });
  expect(String((await service.request('/v1/export?session_id=talk')).body)).not.toContain('143.8127');
});
