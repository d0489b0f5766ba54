import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Vienna' };
const rule = { condition: 'stressed', minutes: 10, subject_ids: ['a', 'b'], quiet_hours };

test('an equal rule is returned, whatever the order of its people and fields', async ({ service }) => {
  const created = await service.post('/v1/alerts', rule);
  const resent = await service.post('/v1/alerts', {
    quiet_hours: { time_zone: 'Europe/Vienna', to: '07:00', from: '22:00' },
    subject_ids: ['b', 'a'],
    condition: 'stressed',
  });
  expect([created.status, resent.status]).toEqual([201, 200]);
  expect(resent.body).toEqual(created.body);
});

test.each([
  ['another duration', { minutes: 11 }],
  ['other people', { subject_ids: ['a'] }],
  ['everyone', { subject_ids: undefined }],
  ['other quiet hours', { quiet_hours: { ...quiet_hours, to: '08:00' } }],
  ['no quiet hours', { quiet_hours: undefined }],
])('a rule with %s is another one', async (_, change) => {
  const service = await startTestService();
  await service.post('/v1/alerts', rule);
  expect((await service.post('/v1/alerts', { ...rule, ...change })).status).toBe(201);
});
