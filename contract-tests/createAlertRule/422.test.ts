import { alerts } from '../../generated/spec.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Vienna' };

test.each([
  ['no condition', { condition: undefined }, '/condition', 'missing'],
  ['an unknown condition', { condition: 'happy' }, '/condition', 'enum'],
  ['minutes of no_data', { condition: 'no_data', minutes: 10 }, '/minutes', 'other_condition'],
  ['hours of stressed', { hours: 10 }, '/hours', 'other_condition'],
  ['minutes of trigger_active', { condition: 'trigger_active', minutes: 1 }, '/minutes', 'other_condition'],
  ['61 minutes', { minutes: 61 }, '/minutes', 'less_than_equal'],
  ['no minute', { minutes: 0 }, '/minutes', 'greater_than_equal'],
  ['169 hours', { condition: 'no_data', hours: 169 }, '/hours', 'less_than_equal'],
  ['nobody', { subject_ids: [] }, '/subject_ids', 'too_few_items'],
  ['a person twice', { subject_ids: ['a', 'a'] }, '/subject_ids', 'not_unique'],
  ['an id with a space', { subject_ids: ['a b'] }, '/subject_ids/0', 'pattern_mismatch'],
  ['101 people', { subject_ids: Array.from({ length: 101 }, (_, it) => `p${it}`) }, '/subject_ids', 'too_many_items'],
  ['hour 24', { quiet_hours: { ...quiet_hours, to: '24:00' } }, '/quiet_hours/to', 'pattern_mismatch'],
  [
    'an unknown time zone',
    { quiet_hours: { ...quiet_hours, time_zone: 'Europe/Nowhere' } },
    '/quiet_hours/time_zone',
    'time_zone_invalid',
  ],
  ['an unknown field', { name: 'night' }, '/name', 'extra_forbidden'],
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
