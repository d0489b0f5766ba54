import { claimDue, findDueQueues, isDue } from '../../src/store/delivery-queue.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import { settleGroup } from '../../src/webhooks/settle.js';
import { slotsPerQueue } from '../../src/webhooks/slots.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import {
  attempted,
  deliveriesOf,
  register,
  startHeartbeat,
  startProcessOn,
  startStory,
  startWorkerOn,
  storeDue,
} from '../../testkit/webhooks.js';

const leaseSeconds = 30;
const idOf = ({ deliveryId }: { deliveryId: string }) => deliveryId;
/** Returns a receiver id in the format of the store. */
const receiverName = (index: number) => (index % 20).toString(16).padStart(16, '0');

/** Starts a slow receiver. It records the ids of deliveries of which two attempts were in flight at the same time. */
async function startWatching() {
  const receiver = await startReceiver();
  const inFlight = new Set<string>();
  const overlaps: string[] = [];
  receiver.answer(({ id }, response) => {
    if (inFlight.has(id)) overlaps.push(id);
    inFlight.add(id);
    setTimeout(() => {
      inFlight.delete(id);
      response.writeHead(204).end();
    }, Math.random() * 20);
  });
  return { receiver, overlaps };
}

/** Claims deliveries as a worker does. */
async function claim({ store, clock }: TestService, owner: string, count = 100) {
  const range = { nowMs: clock.nowMs, leasedUntilMs: clock.nowMs + leaseSeconds * 1000 };
  const queues = (await store.run((knex) => findDueQueues(knex))).filter((queue) => isDue(queue, range));
  return store.run((knex) => claimDue(knex, { owner, ...range, shares: queues.map((queue) => ({ queue, count })) }));
}

test('two workers never attempt the same delivery concurrently or twice', async ({ storyService: service }) => {
  const { receiver, overlaps } = await startWatching();
  const { id } = await register(service, receiver.url);
  const due = await storeDue(service, id, 600, receiverName);
  await Promise.all([startProcessOn(service), startProcessOn(service)]);
  await receiver.until(due.length);
  await attempted(deliveriesOf(service, id), due.length);
  expect(overlaps).toEqual([]);
  expect(receiver.received.map((it) => it.id).sort()).toEqual(due.map(idOf).sort());
});

test('two workers deliver the events of each session once and in order', async ({ storyService: service }) => {
  const { receiver, overlaps } = await startWatching();
  await register(service, receiver.url);
  await Promise.all([startProcessOn(service), startProcessOn(service)]);
  const sessions = Array.from({ length: 6 }, (_, index) => `s${index}`);
  const told = await Promise.all(
    sessions.map(async (session) => {
      const { change } = await startStory(service, session);
      const states = [];
      for (let index = 0; index < 8; index += 1) states.push((await change()).timestamp);
      return states;
    }),
  );
  await receiver.until(sessions.length * 8);
  expect(overlaps).toEqual([]);
  for (const [index, session] of sessions.entries()) {
    const mine = receiver.received.filter(({ event }) => event.session_id === session);
    expect(mine.map(({ event }) => event.timestamp)).toEqual(told[index]);
  }
});

test('concurrent claims divide the deliveries, and each delivery has one owner', async ({ storyService: service }) => {
  const due = await storeDue(service, 'wh_any', 200);
  const claimed: string[] = [];
  // Of two concurrent claims, the second gets none of the locked rows. Several rounds are therefore necessary.
  for (let round = 0, found = 1; found > 0; round += 1) {
    const owners = Array.from({ length: 6 }, (_, index) => `${round}.${index}`.padStart(16, '0'));
    const claims = (await Promise.all(owners.map((owner) => claim(service, owner, 40)))).flat();
    found = claims.length;
    claimed.push(...claims.map(idOf));
  }
  expect(new Set(claimed).size).toBe(claimed.length);
  expect(claimed.sort()).toEqual(due.map(idOf).sort());
});

test('deliveries of a crashed worker are claimed when their lease ends, not before, and late outcomes are ignored', async () => {
  const service = await startTestService({ env: storyEnv });
  const { id } = await register(service, 'http://127.0.0.1:9/');
  await storeDue(service, id, 1);
  const [dead] = await claim(service, 'dead');
  service.clock.advance(leaseSeconds - 0.001);
  expect(await claim(service, 'early')).toEqual([]);
  service.clock.advance(0.001);
  const [next] = await claim(service, 'next');
  expect(next?.deliveryId).toBe(dead?.deliveryId);

  const attempt = { timestamp: service.clock.at(), status: 500, duration_ms: 1 };
  await settleGroup(service.store, [{ delivery: dead as never, attempt }], service.clock.nowMs);
  const stored = deliveriesOf(service, id);
  expect(await stored()).toMatchObject([{ owner: 'next', attempts: [] }]);
  await settleGroup(service.store, [{ delivery: next as never, attempt }], service.clock.nowMs);
  expect(await stored()).toMatchObject([{ owner: null, attempts: [attempt] }]);
});

test('a delivery whose worker is killed between sending and settling is sent again with its id', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  receiver.answer(() => undefined);
  const { id } = await register(service, receiver.url);
  await service.request(`/webhooks/${id}/test`, { method: 'POST' });
  const doomed = await startProcessOn(service);
  await receiver.until(1);
  await doomed.stop('SIGKILL');

  receiver.answer(204);
  await startWorkerOn(service);
  const beat = await startHeartbeat(service);
  await beat();
  expect(receiver.received).toHaveLength(1);
  // The lease was taken at the real time, which may be slightly later than the stopped clock of this service.
  service.clock.nowMs = Date.now() + leaseSeconds * 1000;
  const [first, second] = await receiver.until(2);
  expect(second?.id).toBe(first?.id);
  expect(second?.bytes).toEqual(first?.bytes);
});

test('a closing worker releases unfinished deliveries, and another worker sends them immediately', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  receiver.answer(() => undefined);
  const { id } = await register(service, receiver.url);
  const first = await startWorkerOn(service);
  await service.request(`/webhooks/${id}/test`, { method: 'POST' });
  await receiver.until(1);
  await first.close();
  receiver.answer(204);
  await startWorkerOn(service);
  await receiver.until(2);
  expect(new Set(receiver.received.map((it) => it.id)).size).toBe(1);
  const deliveries = deliveriesOf(service, id);
  await until('delivered', async () => (await deliveries())[0]?.status === 'delivered');
  // An attempt that the worker aborted does not count as a failure of the receiver.
  expect((await deliveries())[0]?.attempts).toHaveLength(1);
});

test('ten thousand deliveries queued for an unreachable receiver do not delay another receiver', async () => {
  const service = await startTestService({ env: storyEnv });
  const [dead, healthy] = [await startReceiver(), await startReceiver()];
  dead.answer(() => undefined);
  const [deadHook, hook] = [
    await register(service, dead.url, { session_id: 'none' }),
    await register(service, healthy.url),
  ];
  const { receiver: name } = createDelivery(
    { accountId: service.accountId, webhookId: deadHook.id, url: dead.url },
    { sessionId: 's', payload: '{}', dueAtMs: 0 },
  );
  await storeDue(service, deadHook.id, 10_000, () => name);
  await startWorkerOn(service);
  await dead.until(slotsPerQueue);
  const { change } = await startStory(service);
  for (let index = 0; index < 5; index += 1) await change();
  await healthy.until(5);
  await attempted(deliveriesOf(service, hook.id), 5);
  expect(dead.received).toHaveLength(slotsPerQueue);
  const waiting = (await deliveriesOf(service, deadHook.id)()).filter(({ status }) => status === 'due');
  expect(waiting).toHaveLength(10_000);
});

test('readings of many sessions that are committed as one group create exactly one event each', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  await register(service, receiver.url);
  await startWorkerOn(service);
  const stories = await Promise.all(Array.from({ length: 50 }, (_, index) => startStory(service, `s${index}`)));
  await Promise.all(stories.map(({ change }) => change()));
  await receiver.until(50);
  const sessions = receiver.received.map(({ event }) => event.session_id);
  expect(new Set(sessions).size).toBe(50);
});
