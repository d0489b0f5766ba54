import { claimDue, findDueQueues } from '../../src/store/delivery-queue.js';
import type { Delivery } from '../../src/store/delivery-row.js';
import { expandEvents, type FullQueue } from '../../src/webhooks/expand.js';
import { createQueueBound } from '../../src/webhooks/queues.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { expect, test } from '../../testkit/test.js';
import { deliveriesOf, failedDeliveries, register, startStory, startWorkerOn } from '../../testkit/webhooks.js';

const short = { queued_max: 4, queue_full_step: 1 };

/** Changes the state of each session in turn, and expands each event on its own. Returns the deliveries. */
async function fill(
  service: TestService,
  sessions: readonly string[],
  bound = createQueueBound(short),
  rest: { readonly onFull?: (queue: FullQueue) => void; readonly events?: number } = {},
): Promise<Delivery[]> {
  const { id } = await register(service, 'https://8.8.8.8/');
  const stories = await Promise.all(sessions.map((session) => startStory(service, session)));
  for (let index = 0; index < (rest.events ?? 6); index += 1) {
    await stories[index % stories.length]?.change();
    await expandEvents(service.store, service.clock.now, bound, rest.onFull);
  }
  return inOrder(await deliveriesOf(service, id)());
}

const inOrder = (all: readonly Delivery[]) =>
  all.toSorted((a, b) => a.eventAtMs - b.eventAtMs || a.sessionId.localeCompare(b.sessionId));
const statuses = (all: readonly Delivery[]) => all.map(({ status, reason }) => reason ?? status);

test('beyond the limit, the oldest deliveries of a webhook fail with queue_full, and the next of their session is due', async () => {
  const service = await startTestService({ env: storyEnv });
  const reports: FullQueue[] = [];
  const all = await fill(service, ['one', 'two'], undefined, { onFull: (queue) => void reports.push(queue) });
  expect(statuses(all)).toEqual(['queue_full', 'queue_full', 'due', 'due', 'queued', 'queued']);
  expect(all.map(({ sessionId }) => sessionId)).toEqual(['one', 'two', 'one', 'two', 'one', 'two']);
  const { accountId } = service;
  expect(reports).toEqual(Array(2).fill({ accountId, webhookId: all[0]?.webhookId, failed: 1 }));
  const { deliveries } = await failedDeliveries(service);
  expect(deliveries.map(({ reason }) => reason)).toEqual(['queue_full', 'queue_full']);
  await service.request(`/webhooks/${all[0]?.webhookId}`, { method: 'DELETE' });
});

test('the queue of one webhook does not count for another one', async ({ storyService: service }) => {
  const other = await register(service, 'https://8.8.4.4/', { session_id: 'two' });
  await fill(service, ['one', 'two']);
  expect(statuses(await deliveriesOf(service, other.id)())).toEqual(['due', 'queued', 'queued']);
});

test('deliveries in flight do not fail: older queued ones of other sessions do', async ({ storyService: service }) => {
  const receiver = await startReceiver();
  receiver.answer(() => undefined);
  const { id } = await register(service, receiver.url);
  const worker = await startWorkerOn(service);
  const story = await startStory(service);
  await story.change();
  await receiver.until(1);
  await worker.close();
  // Another worker has claimed the first delivery.
  const range = { nowMs: service.clock.nowMs, leasedUntilMs: service.clock.nowMs + 30_000 };
  const [queue] = await service.store.run((knex) => findDueQueues(knex));
  if (!queue) throw new Error('no delivery is due');
  await service.store.run((knex) => claimDue(knex, { owner: 'another', ...range, shares: [{ queue, count: 1 }] }));
  const bound = createQueueBound(short);
  for (let index = 0; index < 5; index += 1) {
    await story.change();
    await expandEvents(service.store, service.clock.now, bound);
  }
  const all = inOrder(await deliveriesOf(service, id)());
  expect(statuses(all)).toEqual(['due', 'queue_full', 'queue_full', 'queued', 'queued', 'queued']);
  expect(all[0]?.owner).toBe('another');
});

test('a full queue is counted once per step, not once per delivery, and then a whole step fails', async () => {
  const service = await startTestService({ env: storyEnv });
  const bound = createQueueBound({ queued_max: 6, queue_full_step: 3 });
  const reports: number[] = [];
  const all = await fill(service, ['one'], bound, { onFull: ({ failed }) => void reports.push(failed), events: 9 });
  expect(reports).toEqual([3]);
  expect(statuses(all).filter((it) => it === 'queue_full')).toHaveLength(3);
  expect(statuses(all).slice(3)).toEqual(['due', ...Array(5).fill('queued')]);
});
