import { webhookDelivery } from '../../generated/spec.js';
import type { Grant } from '../../src/contract/grant.js';
import { type Names, readWhose } from '../../src/contract/whose.js';
import { deliveryCursors } from '../../src/operations/delivery-page.js';
import { operations } from '../../src/operations/index.js';
import type { Services } from '../../src/operations/operation.js';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import { claimDue, findDueQueues, isDue } from '../../src/store/delivery-queue.js';
import { createOutboxTable } from '../../src/store/outbox.js';
import type { Store } from '../../src/store/store.js';
import { createWebhookTable } from '../../src/store/webhooks.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import { settleGroup } from '../../src/webhooks/settle.js';
import type { Clock } from '../../testkit/service.js';

const hooks = 60;
const deliveriesStored = 6_000;
const daySeconds = 24 * 60 * 60;

/**
 * Creates webhooks of one account, their deliveries in every status, and events that are not yet expanded to
 * deliveries.
 */
export async function fillWebhooks(store: Store, accountId: string, nowMs: number): Promise<void> {
  const webhookOf = (index: number) => ({ webhookId: `wh_${index % hooks}`, url: `https://host-${index % 7}.example` });
  const made = { events: ['state_change'], secret: '', failedInRow: 0, createdAtMs: 0, registeredEpoch: 1 } as const;
  const deliveries = Array.from({ length: deliveriesStored }, (_, index) => {
    const status = (['failed', 'delivered', 'queued', 'due'] as const)[index % 4];
    const isSettled = index % 4 < 2;
    return createDelivery(
      { ...webhookOf(index >> 2), accountId },
      {
        sessionId: `crowd-${index % 500}`,
        payload: '{}',
        dueAtMs: nowMs + index * 10,
        seq: index,
        status: status ?? 'due',
        settledAtMs: isSettled ? nowMs - (index * 8 * daySeconds * 1000) / deliveriesStored : null,
      },
    );
  });
  const payload = {
    event: 'state_change',
    ...webhookDelivery.test_event,
    timestamp: '2026-11-21T09:30:00.000Z',
  } as const;
  const events = Array.from({ length: 800 }, (_, index) => ({
    sessionId: `waiting-${index % 300}`,
    seq: index,
    payload,
  }));
  await store.transact(async (scopeOf) => {
    const scope = scopeOf(accountId);
    for (let index = 0; index < hooks; index += 1)
      await createWebhookTable(scope).insert({ ...webhookOf(index), ...made, sessionId: 'crowd-1' });
    await createDeliveryTable(scope).insert(deliveries);
    for (let from = 0; from < events.length; from += 100)
      await createOutboxTable(scope).append(events.slice(from, from + 100), 1, nowMs);
  });
}

const ask = <Query>(query: Query) => ({
  ...{ query, params: undefined, body: undefined },
  whose: readWhose({ ...(query as Names) }),
});

/** Runs every operation of webhooks once. */
export async function liveWithWebhooks(services: Services, clock: Clock, ours: Grant): Promise<void> {
  const submit = <Body>(body: Body) => ({ ...ask(undefined), body });
  const registration = { url: 'https://8.8.8.8/', events: ['state_change' as const] };
  const headers = { 'Idempotency-Key': 'k1' };
  await operations.registerWebhook.handle(services, { ...submit(registration), headers }, ours);
  await operations.registerWebhook.handle(services, { ...submit(registration), headers }, ours);
  const refused = { ...submit({ ...registration, url: 'https://10.0.0.1/' }), headers: { 'Idempotency-Key': 'k2' } };
  await operations.registerWebhook.handle(services, refused, ours).catch(() => undefined);
  const { body } = await operations.registerWebhook.handle(services, submit(registration), ours);
  const at = { ...ask(undefined), params: { id: body.id } };
  await operations.listWebhooks.handle(services, ask(undefined), ours);
  await operations.rotateWebhookSecret.handle(services, at, ours);
  await operations.testWebhook.handle(services, at, ours);
  const { accountId } = ours;
  await services.store.transact((scopeOf) =>
    createDeliveryTable(scopeOf(accountId)).failOldest('wh_5', 10, 'queue_full', clock.nowMs),
  );
  await sendAll(services.store, clock);
  await services.store.transact((scopeOf) =>
    createDeliveryTable(scopeOf(accountId)).hastenRetries('wh_1', clock.nowMs),
  );
  const since = clock.at(-daySeconds);
  const filters = [{}, { webhook_id: 'wh_1' }, { session_id: 'crowd-4' }, { since }];
  const somewhere = { atMs: clock.nowMs, deliveryId: `dlv_${'0'.repeat(20)}` };
  for (const filter of [...filters, { webhook_id: 'wh_1', since }, { session_id: 'crowd-4', since }]) {
    const page = await operations.listFailedDeliveries.handle(services, ask(filter), ours);
    const cursor = page.body.next_cursor ?? deliveryCursors.settledAtMs.write(somewhere);
    await operations.listFailedDeliveries.handle(services, ask({ ...filter, cursor }), ours);
    await operations.listDeliveries.handle(services, ask(filter), ours);
    await operations.listDeliveries.handle(services, ask({ ...filter, status: 'delivered' as const, cursor }), ours);
    const byEvent = { ...filter, sort: 'event_time' as const };
    await operations.listFailedDeliveries.handle(services, ask(byEvent), ours);
    const next = { ...byEvent, cursor: deliveryCursors.eventAtMs.write(somewhere) };
    await operations.listFailedDeliveries.handle(services, ask(next), ours);
  }
  const [failed] = (await operations.listFailedDeliveries.handle(services, ask({}), ours)).body.deliveries;
  await operations.getDelivery.handle(services, { ...ask(undefined), params: { delivery_id: failed?.id ?? '' } }, ours);
  await operations.retryDeliveries.handle(services, submit({ delivery_ids: [failed?.id ?? ''] }), ours);
  await operations.retryDeliveries.handle(services, submit({ webhook_id: 'wh_2', since }), ours);
  const inOrder = { webhook_id: 'wh_3', ordered: true };
  await operations.retryDeliveries.handle(services, submit({ ...inOrder, since: clock.at(0) }), ours);
  await operations.retryDeliveries.handle(services, submit(inOrder), ours);
  await operations.removeWebhook.handle(services, at, ours);
}

/** Sends the due deliveries in the same way as a worker, with every kind of outcome. */
async function sendAll(store: Store, clock: Clock): Promise<void> {
  await expandEvents(store, clock.now);
  clock.advance(10);
  for (const status of [204, 500, 410]) {
    const range = { nowMs: clock.nowMs, leasedUntilMs: clock.nowMs + 30_000 };
    const queues = (await store.run((knex) => findDueQueues(knex))).filter((queue) => isDue(queue, range));
    const shares = queues.map((queue) => ({ queue, count: 4 }));
    const claimed = await store.run((knex) => claimDue(knex, { owner: `${status}`, ...range, shares }));
    const attempt = { timestamp: clock.at(), status, duration_ms: 1 };
    const handled = claimed.map((delivery) => ({ delivery, attempt }));
    await settleGroup(store, handled, clock.nowMs);
  }
}
