import { alerts } from '../../generated/spec.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Vienna' };

test.each([
  ['people and quiet hours', { condition: 'stressed', minutes: 5, subject_ids: ['b', 'a'], quiet_hours }],
  ['everyone', { condition: 'no_data', hours: 168 }],
  ['a topic', { condition: 'trigger_active', subject_ids: ['x'.repeat(256)] }],
])('a rule with %s is created as requested', async (_, rule) => {
  const service = await startTestService();
  const { status, body } = await service.post('/v1/alerts', rule);
  const expected = { ...rule, ...('subject_ids' in rule && { subject_ids: [...(rule.subject_ids ?? [])].sort() }) };
  expect({ status, body }).toEqual({
    status: 201,
    body: { id: expect.stringMatching(/^alr_[0-9a-f]{20}$/), ...expected, created_at: service.clock.at() },
  });
  expect((await service.request('/v1/alerts')).body.alerts).toEqual([body]);
});

test('a rule without a duration has the default of its condition', async ({ service }) => {
  const durations = [];
  for (const condition of ['stressed', 'above_usual', 'no_data', 'trigger_active']) {
    const { minutes, hours } = (await service.post('/v1/alerts', { condition })).body;
    durations.push([condition, minutes, hours]);
  }
  expect(durations).toEqual([
    ['stressed', alerts.default_minutes, undefined],
    ['above_usual', alerts.default_minutes, undefined],
    ['no_data', undefined, alerts.default_hours],
    ['trigger_active', undefined, undefined],
  ]);
});
