import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSessionReader } from '../../src/store/sessions.js';
import { createSubjectReader } from '../../src/store/subjects.js';
import { allow, decide, setUp } from '../../testkit/consents.js';
import { startTestService } from '../../testkit/service.js';
import { startTwoServices } from '../../testkit/two-services.js';

const subject_id = 'anna';

test('the same decision again is no new version, and a changed decision is one', async () => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  const decision = { event_time: service.clock.at(), record_id: 'crm-1' };
  const first = await allow(service, subject_id, ['vocal'], decision);
  service.clock.advance(60);
  expect(await allow(service, subject_id, ['vocal'], decision)).toEqual(first);
  const later = { ...decision, event_time: service.clock.at() };
  expect(await allow(service, subject_id, ['vocal', 'visual'], later)).toMatchObject({ version: 2 });
  expect(await allow(service, subject_id, ['vocal'], later)).toMatchObject({ version: 3 });
  const { body } = await service.request(`/v1/subjects/${subject_id}/consent/versions`);
  expect(body.versions.map((it: { version: number }) => it.version)).toEqual([3, 2, 1]);
});

test('each of the decisions that arrive at the same time gets a version, and the last one applies', async () => {
  const { one, clock, calls } = await startTwoServices();
  await setUp(one, { consent: 'record' });
  for (let round = 0; round < 5; round += 1) {
    const id = randomUUID();
    const decisions = Array.from({ length: 8 }, (_, index) =>
      decide({ ...(calls[index % 2] ?? calls[0]), clock }, id, { record_id: `record-${index}` }),
    );
    const answers = await Promise.all(decisions);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.map(({ body }) => body.version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect((await createSubjectReader(one.store.read(one.accountId)).findConsenting(id))?.consent?.version).toBe(8);
  }
});

test('readings in flight at a withdrawal leave no live value of its categories', async () => {
  const { one, clock, calls } = await startTwoServices();
  await setUp(one, { consent: 'enforce' });
  for (let round = 0; round < 15; round += 1) {
    const id = randomUUID();
    await allow({ ...calls[0], clock }, id, ['cardiovascular', 'vocal']);
    const inFlight = Array.from({ length: 12 }, (_, index) =>
      calls[index % 2]?.ingest({ session_id: `${id}-${index}`, subject_id: id, heart_rate: 95, tone: 'calm' }),
    );
    await allow({ ...(calls[round % 2] ?? calls[0]), clock }, id, ['vocal']);
    await Promise.all(inFlight);
    const reader = one.store.read(one.accountId);
    for (const index of inFlight.keys()) {
      const { session } = (await createSessionReader(reader).find(`${id}-${index}`)) ?? {};
      expect(Object.keys(session?.signals ?? {})).toEqual(['tone']);
    }
  }
});
