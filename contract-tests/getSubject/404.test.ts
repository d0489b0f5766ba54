import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const path = '/v1/subjects/anna';

test('a session id and an id with another case are unknown subjects', async ({ service: { read, request } }) => {
  await read({ session_id: 's1', subject_id: 'anna', heart_rate: 70 });
  for (const id of ['s1', 'Anna']) expect((await request(`/v1/subjects/${id}`)).status).toBe(404);
});

test('a subject has no profile, summary and topics after an erasure, and a new one after its next reading', async () => {
  const { read, request, clock } = await startTestService();
  for (let minute = 0; minute < 20; minute++) {
    await read({ subject_id: 'anna', heart_rate: 58, sdnn: 50 });
    clock.advance(60);
  }
  expect((await request(path)).status).toBe(200);
  expect((await request('/v1/triggers?subject_id=anna')).body).toMatchObject({
    triggers: {},
    active: [],
    resolved: [],
  });
  expect((await request(path, { method: 'DELETE' })).status).toBe(200);
  for (const erased of [path, `${path}/summary`, '/v1/triggers?subject_id=anna'])
    expect((await request(erased)).body).toMatchObject({ status: 404, code: 'subject_not_found' });
  await read({ subject_id: 'anna', heart_rate: 95 });
  clock.advance(60);
  const { sessions, baseline } = (await request(path)).body;
  expect([sessions, Object.keys(baseline)]).toEqual([1, ['heart_rate']]);
  expect(baseline.heart_rate.histogram).toMatchObject([{ from_bpm: 94 }]);
});
