import { includesReading } from '../contract/whose.js';
import { createDeliveryTable } from '../store/deliveries.js';
import type { Delivery } from '../store/delivery-row.js';
import { type EventBody, selectsEvent } from '../store/event-kinds.js';
import {
  findSessionsWithEvents,
  type OutboxEvent,
  createOutboxTable,
  type SessionWithEvents,
} from '../store/outbox.js';
import type { WriteScope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import { findWatched, type StoredWebhook, createWebhookTable } from '../store/webhooks.js';
import { createQueueBound, createDelivery, findBusyQueues, type Growth, type QueueBound } from './queues.js';

const sessionsMax = 100;
/** Maximum number of deliveries per transaction. While it runs, no delivery of their webhooks can be settled. */
const deliveriesMax = 200;

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
    const mine = found.filter((it) => it.accountId === accountId);
    const expand = () =>
      store.transact((openScope) => expandSessions(openScope(accountId), accountId, mine, bound, now()));
    for (let full = await expand(); full.length > 0; full = await expand())
      for (const growth of full) {
        const failed = await bound.makeRoom(store, accountId, growth, now());
        if (failed > 0) onFull({ accountId, webhookId: growth.webhookId, failed });
      }
  }
  return found.length > 0;
}

/**
 * Creates the deliveries of the first sessions. The locks of the webhooks guard their queues, so concurrent workers cannot
 * add to a queue out of order. Skips events that another worker has already expanded. If the room of a webhook is not
 * known, creates none and returns the webhook.
 */
async function expandSessions(
  scope: WriteScope,
  accountId: string,
  sessions: readonly SessionWithEvents[],
  bound: QueueBound,
  nowMs: number,
): Promise<readonly Growth[]> {
  // Read before the list. The webhook of an event with a later epoch may be missing in the list.
  const epochMax = (await createWebhookTable(scope).findEpoch()) ?? Number.MAX_SAFE_INTEGER;
  const known = await createWebhookTable(scope).list();
  const eventsMax = Math.max(1, Math.floor(deliveriesMax / Math.max(1, known.length)));
  const sessionIds = sessions.slice(0, eventsMax).map(({ sessionId }) => sessionId);
  const events = await createOutboxTable(scope).lock(sessionIds, epochMax, eventsMax);
  const findWatching = (webhooks: readonly StoredWebhook[]) =>
    webhooks.flatMap((webhook) => {
      const watched = events.filter((event) => isWatched(webhook, event));
      return watched.length > 0 ? { webhook: { ...webhook, accountId }, events: watched } : [];
    });
  const growths = findWatching(known).map(({ webhook, events: { length: added } }) => ({ ...webhook, added }));
  const full = growths.filter((it) => it.disabledAtMs === undefined && !bound.hasRoom(it));
  if (full.length > 0) return full;
  scope.afterCommit.push(() => growths.forEach(bound.use));
  const locked = await createWebhookTable(scope).lock(growths.map(({ webhookId }) => webhookId));
  await createDeliveryTable(scope).insert(await enqueue(scope, findWatching([...locked.values()]), nowMs));
  await createOutboxTable(scope).remove(events);
  return [];
}

/**
 * Returns true if the webhook selects the event, was registered before it and not disabled before it. Compares epochs,
 * because clocks of different processes may differ.
 */
function isWatched(webhook: StoredWebhook, event: OutboxEvent): boolean {
  const { registeredEpoch, disabledEpoch } = webhook;
  if (!includesReading(findWatched(webhook), event.sessionId, event.subjectId ?? undefined)) return false;
  if (event.epoch < registeredEpoch || (disabledEpoch !== undefined && event.epoch >= disabledEpoch)) return false;
  return selectsEvent(webhook, JSON.parse(event.payload) as EventBody);
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
