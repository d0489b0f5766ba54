import type { Delivery } from '../store/delivery-row.js';
import type { OutboxEvent } from '../store/outbox.js';
import type { Store, Writer } from '../store/store.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { newDelivery } from './new-delivery.js';

const sessionsMax = 100;
/** Maximum number of deliveries per transaction. While it runs, no delivery of the account can be settled. */
const deliveriesMax = 2_000;
const eventsMax = 500;

/**
 * Creates deliveries from the events in the outbox, in order per session. Resolves with true if there were any events.
 */
export async function expandEvents(store: Store, now: () => number): Promise<boolean> {
  const found = await store.findSessionsWithEvents(sessionsMax);
  for (const accountId of new Set(found.map((it) => it.accountId))) {
    const sessionIds = found.filter((it) => it.accountId === accountId).map((it) => it.sessionId);
    await store.transact((writerOf) => expandSessions(writerOf(accountId), accountId, sessionIds, now()));
  }
  return found.length > 0;
}

/**
 * Creates the deliveries of some sessions. The lock on the webhooks guards their queues, so concurrent workers cannot
 * add to a queue out of order. Skips events that another worker has already expanded.
 */
async function expandSessions(
  writer: Writer,
  accountId: string,
  sessionIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const webhooks = await writer.webhooks.lockAll();
  const eventsPerWebhook = Math.max(1, Math.floor(deliveriesMax / Math.max(1, webhooks.length)));
  const events = await writer.outbox.lock(sessionIds, Math.min(eventsMax, eventsPerWebhook));
  for (const webhook of webhooks) {
    const watched = events.filter((event) => isWatched(webhook, event));
    await writer.deliveries.insert(await enqueue(writer, { ...webhook, accountId }, watched, nowMs));
  }
  await writer.outbox.remove(events);
}

/**
 * Returns true if the webhook was registered before the event and not disabled before it. Compares epochs, because
 * clocks of different processes may differ.
 */
function isWatched({ sessionId, registeredEpoch, disabledEpoch }: StoredWebhook, event: OutboxEvent): boolean {
  const isItsSession = sessionId === undefined || sessionId === event.sessionId;
  return isItsSession && registeredEpoch <= event.epoch && (disabledEpoch === undefined || event.epoch < disabledEpoch);
}

type OwnedWebhook = StoredWebhook & { readonly accountId: string };

/** The first delivery of an empty queue is due immediately. Later deliveries wait behind it. */
async function enqueue(
  writer: Writer,
  webhook: OwnedWebhook,
  events: readonly OutboxEvent[],
  nowMs: number,
): Promise<Delivery[]> {
  if (events.length === 0) return [];
  if (webhook.disabledAtMs !== undefined) return events.map((event) => failedDelivery(webhook, event, nowMs));
  const busy = await writer.deliveries.busyQueues(webhook.webhookId, [...new Set(events.map((it) => it.sessionId))]);
  return events.map(({ sessionId, seq, subjectId, payload }) => {
    const status = busy.has(sessionId) ? 'queued' : 'due';
    busy.add(sessionId);
    const eventAtMs = Date.parse(JSON.parse(payload).timestamp);
    return newDelivery(webhook, { sessionId, seq, subjectId, payload, eventAtMs, status, dueAtMs: nowMs });
  });
}

/** Returns a failed delivery, for an event that was in the outbox when the receiver disabled the webhook. */
function failedDelivery(
  webhook: OwnedWebhook,
  { sessionId, seq, subjectId, payload }: OutboxEvent,
  nowMs: number,
): Delivery {
  const failed = { status: 'failed', reason: 'disabled', settledAtMs: nowMs } as const;
  return newDelivery(webhook, { sessionId, seq, subjectId, payload, dueAtMs: nowMs, ...failed });
}
