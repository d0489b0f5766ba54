import { expandEvents } from '../../src/webhooks/expand.js';
import type { Delivery } from '../../src/store/delivery-row.js';
import { startReceiver, type Received } from '../../testkit/receiver.js';
import { storyEnv } from '../../testkit/story.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import {
  deliveriesOf,
  failedDeliveries,
  register,
  startProcessOn,
  startStory,
  startWorkerOn,
  storeFailed,
  webhookOf,
} from '../../testkit/webhooks.js';

type Stored = Partial<Delivery> & Pick<Delivery, 'webhookId'>;
const hourMs = 3_600_000;

/** Returns a failed delivery of an event `second` seconds after a fixed time. Its score is `second`. */
function failedEvent({ clock }: TestService, webhookId: string, sessionId: string, second: number): Stored {
  const eventAtMs = clock.nowMs - hourMs + second * 1000;
  const change = { event: 'state_change', previous_state: 'calm', new_state: 'stressed', stress_score: second };
  const payload = { ...change, session_id: sessionId, timestamp: new Date(eventAtMs).toISOString() };
  return { webhookId, sessionId, eventAtMs, seq: eventAtMs, payload: JSON.stringify(payload) };
}

/** Returns the events that arrived for a session, in order of arrival. */
const arrived = (received: readonly Received[], session: string) =>
  received.filter(({ event }) => event.session_id === session).map(({ event }) => event.stress_score);

/** Advances the clock past each retry interval until every delivery is settled. Never while a delivery is in flight. */
async function settleAll({ clock }: TestService, deliveries: () => Promise<Delivery[]>): Promise<void> {
  await until('all deliveries are settled', async () => {
    const open = (await deliveries()).filter(({ status }) => status === 'due' || status === 'queued');
    if (open.every(({ owner }) => owner === null)) clock.advance(4);
    return open.length === 0;
  });
}

test('two workers send ordered retries by event time per session, each after the previous one is settled', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url);
  const sessions = ['works', 'fails', 'recovers', 'slow'];
  const events = sessions.flatMap((it) => [5, 1, 3, 2, 4].map((second) => failedEvent(service, id, it, second)));
  // An earlier manual retry that failed again has no position, and failed after all others.
  const mixed = events.map((it, index) => ({
    ...it,
    ...(index % 5 === 1 && { seq: null }),
    settledAtMs: service.clock.nowMs - (index % 5),
  }));
  await storeFailed(service, mixed);
  const inFlight = new Map<string, number>();
  const overlaps: string[] = [];
  receiver.answer(({ event: { session_id: session, stress_score: second } }, response, count) => {
    if ((inFlight.get(session) ?? 0) > 0) overlaps.push(session);
    inFlight.set(session, (inFlight.get(session) ?? 0) + 1);
    const isFailing = (session === 'fails' && second === 3) || (session === 'recovers' && second === 2 && count < 3);
    setTimeout(
      () => {
        inFlight.set(session, (inFlight.get(session) ?? 0) - 1);
        response.writeHead(isFailing ? 500 : 204).end();
      },
      session === 'slow' ? 30 : 0,
    );
  });
  await Promise.all([startWorkerOn(service), startWorkerOn(service)]);
  const { status, body } = await service.post('/webhooks/retries', { webhook_id: id, ordered: true });
  expect([status, body.count]).toEqual([202, events.length]);
  const deliveries = deliveriesOf(service, id);
  await settleAll(service, deliveries);
  expect(arrived(receiver.received, 'works')).toEqual([1, 2, 3, 4, 5]);
  expect(arrived(receiver.received, 'fails')).toEqual([1, 2, 3, 3, 3, 3, 4, 5]);
  expect(arrived(receiver.received, 'recovers')).toEqual([1, 2, 2, 2, 3, 4, 5]);
  expect(arrived(receiver.received, 'slow')).toEqual([1, 2, 3, 4, 5]);
  expect(overlaps).toEqual([]);
  expect((await failedDeliveries(service)).deliveries.map(({ payload }) => payload.stress_score)).toEqual([3]);
});

test('ordered retries go before queued events, after the event in progress, and mix with earlier ordered retries', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url);
  const waiting = { status: 'queued', reason: null, settledAtMs: null } as const;
  await storeFailed(service, [
    { ...failedEvent(service, id, 's1', 7), ...waiting, status: 'due' },
    { ...failedEvent(service, id, 's1', 8), ...waiting },
    { ...failedEvent(service, id, 's1', 9), ...waiting },
  ]);
  const failed = await storeFailed(
    service,
    [1, 2, 3, 4].map((second) => failedEvent(service, id, 's1', second)),
  );
  const retry = (...seconds: number[]) => {
    const delivery_ids = seconds.map((it) => failed[it - 1]?.deliveryId);
    return service.post('/webhooks/retries', { delivery_ids, ordered: true });
  };
  await retry(4, 3);
  await retry(2, 1);
  await startWorkerOn(service);
  await receiver.until(7);
  expect(arrived(receiver.received, 's1')).toEqual([7, 1, 2, 3, 4, 8, 9]);
});

test('later events of the session wait for ordered retries', async ({ storyService: service, receiver }) => {
  const { id } = await register(service, receiver.url);
  await storeFailed(service, [failedEvent(service, id, 's1', 1), failedEvent(service, id, 's1', 2)]);
  await service.post('/webhooks/retries', { webhook_id: id, ordered: true });
  const { change } = await startStory(service);
  await change();
  await expandEvents(service.store, service.clock.now);
  expect((await deliveriesOf(service, id)()).map(({ status }) => status)).toEqual(['due', 'queued', 'queued']);
  await startWorkerOn(service);
  await receiver.until(3);
  expect(arrived(receiver.received, 's1').slice(0, 2)).toEqual([1, 2]);
});

test('a killed worker changes no order: the delivery in flight is sent again, then the others follow', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  receiver.answer(({ event }, response) => {
    if (event.stress_score !== 2) response.writeHead(204).end();
  });
  const { id } = await register(service, receiver.url);
  await storeFailed(
    service,
    [3, 1, 4, 2].map((second) => failedEvent(service, id, 's1', second)),
  );
  const doomed = await startProcessOn(service);
  await service.post('/webhooks/retries', { webhook_id: id, ordered: true });
  await receiver.until(2);
  await doomed.stop('SIGKILL');
  receiver.answer(204);
  // The lease of the killed worker was taken at the real time.
  service.clock.nowMs = Date.now() + 30_000;
  await startWorkerOn(service);
  await receiver.until(5);
  expect(arrived(receiver.received, 's1')).toEqual([1, 2, 2, 3, 4]);
});

test('an ordered retry is sent although the webhook is disabled, and a 410 ends the retries that wait', async () => {
  const service = await startTestService({ env: storyEnv });
  const receiver = await startReceiver();
  receiver.answer(410);
  const { id } = await register(service, receiver.url);
  await storeFailed(
    service,
    [1, 2, 3].map((second) => failedEvent(service, id, 's1', second)),
  );
  await startWorkerOn(service);
  const retry = () => service.post('/webhooks/retries', { webhook_id: id, ordered: true });
  const allFailed = async () => (await failedDeliveries(service)).deliveries.length === 3;
  await retry();
  await until('the webhook is disabled', async () => (await webhookOf(service, id)).status === 'disabled');
  expect(await allFailed()).toBe(true);
  expect(arrived(receiver.received, 's1')).toEqual([1]);
  receiver.answer(204);
  await retry();
  await receiver.until(4);
  expect(arrived(receiver.received, 's1')).toEqual([1, 1, 2, 3]);
});
