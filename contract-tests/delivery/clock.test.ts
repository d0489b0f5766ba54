import { expect, test } from 'vitest';
import { claimDue, findDueQueues } from '../../src/store/delivery-queue.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { until } from '../../testkit/until.js';
import { attempted, deliveriesOf, register, startStory, startWorkerOn, storeDue } from '../../testkit/webhooks.js';

const hour = 3600;

test('no event after a registration is lost when the clock is set back one hour', async () => {
  const service = await startTestService({ env: { WORKER: '1', ...storyEnv } });
  const receiver = await startReceiver();
  await register(service, receiver.url);
  service.clock.advance(-hour);
  const { change } = await startStory(service);
  const states = [(await change()).state, (await change()).state];
  const events = (await receiver.until(2)).map(({ event }) => event.new_state);
  expect(events).toEqual(states);
});

test('a webhook gets no event from before its registration, even when the clock was set back in between', async () => {
  // No worker runs yet, so the events stay in the outbox.
  const service = await startTestService({ env: storyEnv });
  const [early, late] = [await startReceiver(), await startReceiver()];
  await register(service, early.url);
  const before = await startStory(service, 'before');
  await before.change();
  service.clock.advance(-hour);
  await register(service, late.url);
  await (await startStory(service, 'after')).change();
  await startWorkerOn(service);
  await early.until(2);
  await late.until(1);
  expect(late.received.map(({ event }) => event.session_id)).toEqual(['after']);
});

test('a webhook that is registered after the newest one was removed gets no earlier event', async () => {
  const service = await startTestService({ env: storyEnv });
  const [kept, later] = [await startReceiver(), await startReceiver()];
  await register(service, kept.url);
  const { body } = await service.post('/webhooks/register', { url: 'http://127.0.0.1:9/', events: ['state_change'] });
  await service.request(`/webhooks/${body.id}`, { method: 'DELETE' });
  const { change } = await startStory(service);
  await change();
  await register(service, later.url);
  const second = await change();
  await startWorkerOn(service);
  await kept.until(2);
  await later.until(1);
  expect(later.received.map(({ event }) => event.new_state)).toEqual([second.state]);
});

test('after the clock is set back one hour, due deliveries and retries are sent immediately, and leases still expire', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  receiver.answer(500);
  const { id } = await register(service, receiver.url);
  const due = await storeDue(service, id, 20);
  const first = await startWorkerOn(service);
  const stored = deliveriesOf(service, id);
  await attempted(stored, 20);
  await first.close();
  // Leaves the deliveries claimed, like a worker that crashed. Their lease has not expired.
  const range = { nowMs: service.clock.nowMs + 2000, leasedUntilMs: service.clock.nowMs + 32_000 };
  const queues = await service.store.run((knex) => findDueQueues(knex));
  const shares = queues.map((queue) => ({ queue, count: 1 }));
  const [dead] = await service.store.run((knex) => claimDue(knex, { owner: 'f'.repeat(16), ...range, shares }));

  service.clock.advance(-hour);
  receiver.answer(204);
  await startWorkerOn(service);
  await until('all but the claimed delivery', async () => {
    const delivered = (await stored()).filter(({ status }) => status === 'delivered');
    return delivered.length === due.length - 1;
  });
  expect((await stored()).find(({ status }) => status === 'due')?.deliveryId).toBe(dead?.deliveryId);
  service.clock.advance(31);
  await until('the claimed delivery', async () => (await stored()).every(({ status }) => status === 'delivered'));
});
