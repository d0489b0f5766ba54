import { createDeliveryTable } from '../store/deliveries.js';
import type { Delivery } from '../store/delivery-row.js';
import { findSessionsWithEvents, type OutboxEvent, createOutboxTable } from '../store/outbox.js';
import type { WriteScope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import { findWatchedSubject, type StoredWebhook, createWebhookTable } from '../store/webhooks.js';
import { createQueueBound, createDelivery, findBusyQueues, type QueueBound, type QueueOverflow } from './queues.js';

const sessionsMax = 100;
/** Maximum number of deliveries per transaction. While it runs, no delivery of the account can be settled. */
const deliveriesMax = 2_000;
const eventsMax = 500;

/** The queue of a webhook was full, so some of its oldest deliveries failed. */
export interface FullQueue {
  readonly accountId: string;
  readonly webhookId: string;
  readonly failed: number;
}

/**
 * Creates deliveries from the events in the outbox, in order per session. Resolves with true if there were any events.
 */
export async function expandEvents(
  store: Store,
  now: () => number,
  bound = createQueueBound(),
  onFull: (queue: FullQueue) => void = () => undefined,
): Promise<boolean> {
  const found = await store.run((knex) => findSessionsWithEvents(knex, sessionsMax));
  for (const accountId of new Set(found.map((it) => it.accountId))) {
    const sessionIds = found.filter((it) => it.accountId === accountId).map((it) => it.sessionId);
    const rooms = await store.transact((openScope) =>
      expandSessions(openScope(accountId), accountId, sessionIds, bound, now()),
    );
    rooms.forEach(bound.remember);
    for (const { webhookId, failed } of rooms) if (failed > 0) onFull({ accountId, webhookId, failed });
  }
  return found.length > 0;
}

/**
 * Creates the deliveries of some sessions. The lock on the webhooks guards their queues, so concurrent workers cannot
 * add to a queue out of order. Skips events that another worker has already expanded.
 */
async function expandSessions(
  scope: WriteScope,
  accountId: string,
  sessionIds: readonly string[],
  bound: QueueBound,
  nowMs: number,
): Promise<readonly QueueOverflow[]> {
  const webhooks = await createWebhookTable(scope).lockAll();
  const eventsPerWebhook = Math.max(1, Math.floor(deliveriesMax / Math.max(1, webhooks.length)));
  const events = await createOutboxTable(scope).lock(sessionIds, Math.min(eventsMax, eventsPerWebhook));
  const watching = webhooks.flatMap((webhook) => {
    const watched = events.filter((event) => isWatched(webhook, event));
    return watched.length > 0 ? { webhook: { ...webhook, accountId }, events: watched } : [];
  });
  const rooms: QueueOverflow[] = [];
  for (const { webhook, events: watched } of watching)
    if (webhook.disabledAtMs === undefined)
      rooms.push(await bound.makeRoom(scope, webhook.webhookId, watched.length, nowMs));
  await createDeliveryTable(scope).insert(await enqueue(scope, watching, nowMs));
  await createOutboxTable(scope).remove(events);
  return rooms;
}

/**
 * Returns true if the webhook selects the event, was registered before it and not disabled before it. Compares epochs,
 * because clocks of different processes may differ.
 */
function isWatched(webhook: StoredWebhook, event: OutboxEvent): boolean {
  const { sessionId, states, registeredEpoch, disabledEpoch } = webhook;
  if (sessionId !== undefined && sessionId !== event.sessionId) return false;
  const subjectId = findWatchedSubject(webhook);
  if (subjectId !== undefined && subjectId !== event.subjectId) return false;
  if (event.epoch < registeredEpoch || (disabledEpoch !== undefined && event.epoch >= disabledEpoch)) return false;
  return states === undefined || states.includes(JSON.parse(event.payload).new_state);
}

/** A webhook and the events that it gets. */
interface Watching {
  readonly webhook: StoredWebhook & { readonly accountId: string };
  readonly events: readonly OutboxEvent[];
}

/** The first delivery of an empty queue is due immediately. Later deliveries wait behind it. */
async function enqueue(scope: WriteScope, watching: readonly Watching[], nowMs: number): Promise<Delivery[]> {
  const enabled = watching.filter(({ webhook }) => webhook.disabledAtMs === undefined);
  const takePlace = await findBusyQueues(
    scope,
    enabled.flatMap(({ webhook: { webhookId }, events }) => events.map(({ sessionId }) => ({ webhookId, sessionId }))),
  );
  return watching.flatMap(({ webhook, events }) =>
    events.map((event) => {
      if (webhook.disabledAtMs !== undefined) return failedDelivery(webhook, event, nowMs);
      const { sessionId, seq, subjectId, payload } = event;
      const status = takePlace({ webhookId: webhook.webhookId, sessionId });
      const eventAtMs = Date.parse(JSON.parse(payload).timestamp);
      return createDelivery(webhook, { sessionId, seq, subjectId, payload, eventAtMs, status, dueAtMs: nowMs });
    }),
  );
}

/** Returns a failed delivery, for an event that was in the outbox when the receiver disabled the webhook. */
function failedDelivery(
  webhook: Watching['webhook'],
  { sessionId, seq, subjectId, payload }: OutboxEvent,
  nowMs: number,
): Delivery {
  const failed = { status: 'failed', reason: 'disabled', settledAtMs: nowMs } as const;
  return createDelivery(webhook, { sessionId, seq, subjectId, payload, dueAtMs: nowMs, ...failed });
}
