import type { Delivery } from '../store/delivery-row.js';
import type { OutboxEvent } from '../store/outbox.js';
import type { Store, Writer } from '../store/store.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { newDelivery } from './new-delivery.js';

const sessionsMax = 100;
/** Of one transaction: as long as it takes, nothing is settled for the account's webhooks. */
const deliveriesMax = 2_000;
const eventsMax = 500;

/** Makes deliveries of the events in the outbox, those of a session in their order. Tells whether there were any. */
export async function expandEvents(store: Store, now: () => number): Promise<boolean> {
  const found = await store.findSessionsWithEvents(sessionsMax);
  for (const accountId of new Set(found.map((it) => it.accountId))) {
    const sessionIds = found.filter((it) => it.accountId === accountId).map((it) => it.sessionId);
    await store.transact((writerOf) => expandSessions(writerOf(accountId), sessionIds, now()));
  }
  return found.length > 0;
}

/**
 * The lock on the webhooks guards their lines, so that workers side by side cannot add to them out of order; what
 * another worker has expanded meanwhile is not found again.
 */
async function expandSessions(writer: Writer, sessionIds: readonly string[], nowMs: number): Promise<void> {
  const webhooks = await writer.webhooks.lockAll();
  const fitting = Math.max(1, Math.floor(deliveriesMax / Math.max(1, webhooks.length)));
  const events = await writer.outbox.lock(sessionIds, Math.min(eventsMax, fitting));
  for (const webhook of webhooks) {
    const watched = events.filter((event) => isWatched(webhook, event));
    await writer.deliveries.insert(await lineUp(writer, webhook, watched, nowMs));
  }
  await writer.outbox.remove(events);
}

/** Registered before the event, and not disabled before it. */
function isWatched({ sessionId, createdAtMs, disabledAtMs }: StoredWebhook, event: OutboxEvent): boolean {
  const isItsSession = sessionId === undefined || sessionId === event.sessionId;
  return isItsSession && createdAtMs <= event.createdAtMs && event.createdAtMs <= (disabledAtMs ?? event.createdAtMs);
}

/** The first of a line that nothing waits in is due at once, all others stand behind it. */
async function lineUp(
  writer: Writer,
  webhook: StoredWebhook,
  events: readonly OutboxEvent[],
  nowMs: number,
): Promise<Delivery[]> {
  if (events.length === 0) return [];
  if (webhook.disabledAtMs !== undefined) return events.map((event) => failedDelivery(webhook, event, nowMs));
  const busy = await writer.deliveries.busyLines(webhook.webhookId, [...new Set(events.map((it) => it.sessionId))]);
  return events.map(({ sessionId, seq, subjectId, payload }) => {
    const status = busy.has(sessionId) ? 'queued' : 'due';
    busy.add(sessionId);
    return newDelivery(webhook, { sessionId, seq, subjectId, payload, status, dueAtMs: nowMs });
  });
}

/** The event was waiting when the receiver wanted no more. */
function failedDelivery(
  webhook: StoredWebhook,
  { sessionId, seq, subjectId, payload }: OutboxEvent,
  nowMs: number,
): Delivery {
  const failed = { status: 'failed', reason: 'disabled', settledAtMs: nowMs } as const;
  return newDelivery(webhook, { sessionId, seq, subjectId, payload, dueAtMs: nowMs, ...failed });
}
