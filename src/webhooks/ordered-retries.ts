import { deliveryTable } from '../store/deliveries.js';
import type { Delivery } from '../store/delivery-row.js';
import type { WriteScope } from '../store/scope.js';

/** The last time that a date can have, epoch ms. Any time minus this one is negative. */
const lastTimeMs = 8.64e15;

/**
 * Returns failed deliveries as ordered retries, oldest event first. The first one of an idle queue is due immediately,
 * later ones wait behind it. The caller must hold the exclusive locks of their webhooks, which guard the queues.
 */
export async function toOrderedRetries(
  scope: WriteScope,
  failed: readonly Delivery[],
  nowMs: number,
): Promise<Delivery[]> {
  const nameQueue = (webhookId: string, sessionId: string) => `${webhookId} ${sessionId}`;
  const busy = new Set<string>();
  for (const webhookId of new Set(failed.map((it) => it.webhookId))) {
    const sessionIds = failed.filter((it) => it.webhookId === webhookId).map((it) => it.sessionId);
    for (const sessionId of await deliveryTable(scope).busyQueues(webhookId, [...new Set(sessionIds)]))
      busy.add(nameQueue(webhookId, sessionId));
  }
  const lastSeqs = new Map<string, number>();
  return [...failed].sort(oldestEventFirst).map((delivery) => {
    const queue = nameQueue(delivery.webhookId, delivery.sessionId);
    const status = busy.has(queue) ? 'queued' : 'due';
    busy.add(queue);
    // Depends on the event alone, so that the retries of several requests mix in the order of their events.
    const ofEvent = delivery.eventAtMs - lastTimeMs;
    const seq = Math.max(ofEvent, (lastSeqs.get(queue) ?? -Infinity) + 1);
    lastSeqs.set(queue, seq);
    return { ...delivery, seq, status, reason: null, attempts: [], dueAtMs: nowMs, owner: null, settledAtMs: null };
  });
}

/** Compares by the event. Events of the same millisecond keep the order of their queue. */
function oldestEventFirst(a: Delivery, b: Delivery): number {
  return a.eventAtMs - b.eventAtMs || (a.seq ?? 0) - (b.seq ?? 0);
}
