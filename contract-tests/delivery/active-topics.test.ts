import { expandEvents } from '../../src/webhooks/expand.js';
import { activate } from '../../testkit/alerts.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { deliveriesOf, register } from '../../testkit/webhooks.js';

test('a topic that becomes active is one event, for webhooks of the person and of everyone', async () => {
  const service = await startTestService({});
  const events = ['trigger_active' as const];
  const [all, anna, bert, others] = [
    await register(service, 'https://8.8.8.8/all', { events }),
    await register(service, 'https://8.8.8.8/anna', { events, subject_id: 'anna' }),
    await register(service, 'https://8.8.8.8/bert', { events, subject_id: 'bert' }),
    await register(service, 'https://8.8.8.8/others', { events: ['state_change', 'alert'], subject_id: 'anna' }),
  ];
  await activate(service, 'anna');
  await expandEvents(service.store, service.clock.now);
  const payloads = [];
  for (const { id } of [all, anna, bert, others])
    payloads.push((await deliveriesOf(service, id)()).map(({ payload }) => JSON.parse(payload)));
  const event = { event: 'trigger_active', subject_id: 'anna', topic: 'exams', timestamp: expect.any(String) };
  expect(payloads).toEqual([[event], [event], [], []]);
  const { active } = (await service.request('/v1/triggers?subject_id=anna')).body;
  expect(active).toEqual(['exams']);
});

test('without a webhook for active topics, no such event is stored', async ({ ownService: service }) => {
  const { id } = await register(service, 'https://8.8.8.8/', { subject_id: 'bert' });
  await activate(service, 'anna');
  await service.post('/webhooks/register', { url: 'https://8.8.8.8/late', events: ['trigger_active'] });
  await expandEvents(service.store, service.clock.now);
  const { webhooks } = (await service.request('/webhooks')).body;
  for (const webhook of webhooks) expect(await deliveriesOf(service, webhook.id)()).toEqual([]);
  expect(id).toBe(webhooks[0].id);
});
