import type { Schema } from '../contract/contract.js';
import { toNames } from '../contract/whose.js';
import type { Delivery, DeliveryStatus } from '../store/delivery-row.js';
import { isOfPerson } from '../store/outbox.js';
import type { WebhookHealth } from '../store/settled-deliveries.js';
import { findWatched, type StoredWebhook } from '../store/webhooks.js';
import { findStatus } from './schedule.js';

/** Returns the webhook as defined in the contract, without its secret. */
export function toWebhook(webhook: StoredWebhook, health?: WebhookHealth): Schema<'Webhook'> {
  const { webhookId, url, events, failedInRow, lastFailureAtMs, lastFailure, nextAttemptAtMs, createdAtMs } = webhook;
  const lastSuccessAtMs = health?.lastSuccessAtMs ?? undefined;
  return {
    id: webhookId,
    url,
    events: [...events],
    ...toNames(findWatched(webhook)),
    status: findStatus(webhook),
    retry: webhook.retry ?? 'standard',
    ...(webhook.states && { states: [...webhook.states] }),
    consecutive_failures: failedInRow,
    ...(lastFailureAtMs !== undefined && { last_failure_at: formatTimestamp(lastFailureAtMs) }),
    ...(lastFailure && { last_failure: lastFailure }),
    ...(failedInRow > 0 && nextAttemptAtMs && { next_attempt_at: formatTimestamp(nextAttemptAtMs) }),
    ...(lastSuccessAtMs !== undefined && { last_success_at: formatTimestamp(lastSuccessAtMs) }),
    ...(health && { queued_deliveries: health.queued }),
    created_at: formatTimestamp(createdAtMs),
  };
}

function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

const describeStatus: Readonly<Record<DeliveryStatus, Schema<'Delivery'>['status']>> = {
  queued: 'pending',
  due: 'pending',
  delivered: 'delivered',
  failed: 'failed',
};

/** Returns the deliveries of state changes as `write` does, and the others apart, because their bodies differ. */
export function splitDeliveries<D>(deliveries: readonly Delivery[], write: (delivery: Delivery) => D) {
  const others = deliveries.filter(isOfPerson).map(toEventDelivery);
  return {
    deliveries: deliveries.filter((it) => !isOfPerson(it)).map(write),
    ...(others.length > 0 && { event_deliveries: others }),
  };
}

function toEventDelivery({ deliveryId, webhookId, status, attempts, reason, ...rest }: Delivery) {
  const payload = JSON.parse(rest.payload);
  return {
    id: deliveryId,
    webhook_id: webhookId,
    event: payload.event,
    status: describeStatus[status],
    payload,
    attempts: [...attempts],
    ...(reason !== null && { reason }),
  } satisfies Schema<'EventDelivery'>;
}

export function toContractDelivery(delivery: Delivery): Schema<'Delivery'> {
  const { deliveryId, webhookId, status, payload, attempts, reason, settledAtMs } = delivery;
  return {
    id: deliveryId,
    webhook_id: webhookId,
    status: describeStatus[status],
    payload: JSON.parse(payload),
    attempts: [...attempts],
    ...(reason !== null && { reason }),
    ...(settledAtMs !== null && { settled_at: new Date(settledAtMs).toISOString() }),
  };
}
