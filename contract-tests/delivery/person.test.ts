import { expect, test } from 'vitest';
import { webhookDelivery } from '../../generated/spec.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { batchResults } from '../../testkit/batch.js';
import { makeAccount } from '../../testkit/calls.js';
import { startReceiver } from '../../testkit/receiver.js';
import { client, startDelivering, startTestService, type TestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';
import { deliveriesOf, failedDeliveries, register, webhookOf } from '../../testkit/webhooks.js';

const calm = { heart_rate: 60, tone: 'calm' } as const;
const hostile = { heart_rate: 130, tone: 'hostile' } as const;

/** Sends two readings of a session. The state changes with the second one. A reading without a subject names none. */
async function changeState(
  { read, clock }: Pick<TestService, 'read' | 'clock'>,
  session_id: string,
  ...subjects: ReadonlyArray<string | undefined>
): Promise<void> {
  for (const [index, subject_id] of subjects.entries()) {
    await read({ session_id, ...(subject_id !== undefined && { subject_id }), ...(index === 0 ? calm : hostile) });
    clock.advance(1);
  }
}

const deliver = ({ store, clock }: TestService) => expandEvents(store, clock.now);

/** Returns the sessions of the stored deliveries of a webhook, in alphabetical order. */
async function sessionsOf(service: TestService, id: string): Promise<string[]> {
  return (await deliveriesOf(service, id)()).map(({ sessionId }) => sessionId).sort();
}

test('a webhook of a person gets the events of all sessions of this person, and no others', async () => {
  const service = await startTestService({});
  const anna = await register(service, 'https://8.8.8.8/anna', { subject_id: 'anna' });
  const one = await register(service, 'https://8.8.8.8/anna', { session_id: 'of-anna-1' });
  const all = await register(service, 'https://8.8.8.8/anna');
  for (const session of ['of-anna-1', 'of-anna-2']) await changeState(service, session, 'anna', 'anna');
  await changeState(service, 'of-bert', 'bert', 'bert');
  await changeState(service, 'of-Anna', 'Anna', 'Anna');
  await changeState(service, 'of-nobody', undefined, undefined);
  await changeState(service, 'anna', undefined, undefined);
  await deliver(service);
  expect(await sessionsOf(service, anna.id)).toEqual(['of-anna-1', 'of-anna-2']);
  expect(await sessionsOf(service, one.id)).toEqual(['of-anna-1']);
  expect(await sessionsOf(service, all.id)).toHaveLength(6);
  const [first] = await deliveriesOf(service, anna.id)();
  expect(Object.keys(JSON.parse(first?.payload ?? '{}'))).toEqual([
    'event',
    'session_id',
    'previous_state',
    'new_state',
    'stress_score',
    'timestamp',
  ]);
});

test('a webhook of a person gets no event of a person with the same id in another account', async () => {
  const service = await startTestService({});
  const { key } = await makeAccount(service, 'another', 'enterprise');
  const another = { ...service, ...client(service.url, key, service.clock) };
  const [mine, theirs] = [
    await register(service, 'https://8.8.8.8/', { subject_id: 'anna' }),
    await register(another, 'https://8.8.8.8/', { subject_id: 'anna' }),
  ];
  await changeState(service, 'mine', 'anna', 'anna');
  await changeState(another, 'theirs', 'anna', 'anna');
  await deliver(service);
  expect([await sessionsOf(service, mine.id), await sessionsOf(service, theirs.id)]).toEqual([['mine'], ['theirs']]);
});

test('the event of the reading that first names the person is sent to the webhook of the person', async () => {
  const service = await startTestService({});
  const { id } = await register(service, 'https://8.8.8.8/', { subject_id: 'anna' });
  await changeState(service, 's1', undefined, 'anna');
  await deliver(service);
  expect(await sessionsOf(service, id)).toEqual(['s1']);
});

test.each([
  ['in the outbox', 'is sent', ['s1']],
  ['already distributed', 'is not sent', []],
])(
  'an event from before its session named the person, %s at that time, %s to the webhook of the person',
  async (place, _, sent) => {
    const service = await startTestService({});
    const { id } = await register(service, 'https://8.8.8.8/', { subject_id: 'anna' });
    await changeState(service, 's1', undefined, undefined);
    if (place === 'already distributed') await deliver(service);
    await service.read({ session_id: 's1', subject_id: 'anna', ...hostile });
    await deliver(service);
    expect(await sessionsOf(service, id)).toEqual(sent);
  },
);

test.each([
  ['of a new session', 0],
  ['of an existing session', 1],
])('an event %s is sent to the webhook of the person that a later line of its batch names', async (_, before) => {
  const service = await startTestService({});
  const { id } = await register(service, 'https://8.8.8.8/', { subject_id: 'anna' });
  const lines = [calm, hostile, { ...hostile, subject_id: 'anna' }].map((signals, index) => ({
    session_id: 's1',
    timestamp: service.clock.at(index - 3),
    ...signals,
  }));
  for (const line of lines.slice(0, before)) await service.read(line);
  const results = await batchResults(service, lines.slice(before));
  expect(results.map(({ status }) => status)).toEqual(lines.slice(before).map(() => 200));
  await deliver(service);
  expect(await sessionsOf(service, id)).toEqual(['s1']);
});

test('a webhook of a person is retried, rotated, disabled and enabled like any other webhook', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  receiver.answer(503);
  const { id } = await register(service, receiver.url, { subject_id: 'anna', retry: 'extended' });
  const deliveries = deliveriesOf(service, id);
  for (const session of ['one', 'two']) await changeState(service, session, 'anna', 'anna');
  await until('both sessions have a failed attempt', async () => {
    const all = await deliveries();
    return all.length === 2 && all.every(({ attempts, owner }) => attempts.length > 0 && owner === null);
  });
  await service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' });
  receiver.answer(204);
  service.clock.advance(webhookDelivery.extended_retry.max_seconds);
  await until('both are delivered', async () => (await deliveries()).every(({ status }) => status === 'delivered'));
  expect(receiver.received.at(-1)?.headers['x-service-signature']).toMatch(/^sha256=\w+,sha256=\w+$/);

  receiver.answer(410);
  await changeState(service, 'three', 'anna', 'anna');
  await until('the webhook is disabled', async () => (await webhookOf(service, id)).status === 'disabled');
  expect(await webhookOf(service, id)).toMatchObject({ subject_id: 'anna' });
  for (const [query, count] of [
    ['?session_id=three', 1],
    ['?session_id=one', 0],
  ] as const)
    expect((await failedDeliveries(service, query)).deliveries).toHaveLength(count);
  receiver.answer(204);
  const again = await service.post('/webhooks/register', {
    ...{ url: receiver.url, events: ['state_change'], subject_id: 'anna' },
  });
  expect(again).toMatchObject({ status: 200, body: { id, status: 'active', retry: 'extended', subject_id: 'anna' } });
  await changeState(service, 'four', 'anna', 'anna');
  await until('the next event arrives', () => receiver.received.at(-1)?.event.session_id === 'four');
});
