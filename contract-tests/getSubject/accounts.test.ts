import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

const path = '/v1/subjects/anna';

test('subjects with the same name in two accounts have separate profiles', async () => {
  const [one, two] = [await startTestService(), await startTestService()];
  await one.read({ subject_id: 'anna', heart_rate: 70 });
  await one.read({ session_id: 's2', subject_id: 'anna', heart_rate: 70 });
  await two.read({ subject_id: 'anna', tone: 'tense' });
  expect((await one.request(path)).body).toMatchObject({
    sessions: 2,
    baseline: { heart_rate: { latest: { bpm: 70 } } },
  });
  expect((await two.request(path)).body).toMatchObject({ sessions: 1, baseline: {} });
  expect((await two.request(path)).body.baseline).toEqual({});
});

test('reads of a profile count as calls of the month and as requests of the person, and not of a session', async () => {
  const env = { LIMIT_MONTHLY_CALLS: '3', LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' };
  const service = await startTestService({ env });
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  for (let call = 0; call < 2; call++) expect((await service.request(path)).status).toBe(200);
  expect((await service.request(path)).body).toMatchObject({ status: 429, violated_policies: ['month'] });
});
