import { allow, decide, setUp } from '../../testkit/consents.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const subject_id = 'anna';

test('a decision from before the recorded one is rejected and changes nothing', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  const newest = service.clock.at();
  const withdrawn = await allow(service, subject_id, [], { event_time: newest });
  const late = await decide(service, subject_id, { event_time: service.clock.at(-1) });
  expect(late).toMatchObject({ status: 409, body: { code: 'consent_outdated' } });
  expect(late.body.detail).toContain(new Date(newest).toISOString());
  expect((await service.request(`/v1/subjects/${subject_id}/consent`)).body).toEqual(withdrawn);
  expect((await service.ingest({ subject_id, heart_rate: 80 })).body.code).toBe('consent_required');
});

test('an account with the mode off records no consent', async ({ service }) => {
  expect(await decide(service, subject_id)).toMatchObject({ status: 409, body: { code: 'consent_off' } });
  expect((await service.request(`/v1/subjects/${subject_id}/consent`)).status).toBe(404);
});
