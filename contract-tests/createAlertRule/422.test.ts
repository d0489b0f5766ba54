import { alerts } from '../../generated/spec.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Vienna' };

test.each([
  ['minutes of no_data', { condition: 'no_data', minutes: 10 }, '/minutes', 'other_condition'],
  ['hours of stressed', { hours: 10 }, '/hours', 'other_condition'],
  ['minutes of trigger_active', { condition: 'trigger_active', minutes: 1 }, '/minutes', 'other_condition'],
  [
    'an unknown time zone',
    { quiet_hours: { ...quiet_hours, time_zone: 'Europe/Nowhere' } },
    '/quiet_hours/time_zone',
    'time_zone_invalid',
  ],
])('a rule with %s is rejected', async (_, change, pointer, code) => {
  const service = await startTestService();
  const { body } = await service.post('/v1/alerts', { condition: 'stressed', ...change });
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
  expect((await service.request('/v1/alerts')).body.alerts).toEqual([]);
});

test('an account has a maximum number of rules', async ({ service }) => {
  const create = (hours: number) => service.post('/v1/alerts', { condition: 'no_data', hours });
  for (let hours = 1; hours <= alerts.max_per_account; hours += 1) expect((await create(hours)).status).toBe(201);
  expect((await create(100)).body).toMatchObject({ status: 422, errors: [{ code: 'too_many_alert_rules' }] });
  // A resend needs no room.
  expect((await create(1)).status).toBe(200);
});
