import type { Schema } from '../contract/contract.js';
import type { WebhookHealth } from '../store/settled-deliveries.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { findStatus } from './schedule.js';

/** Returns the webhook as defined in the contract, without its secret. */
export function toWebhook(webhook: StoredWebhook, health?: WebhookHealth): Schema<'Webhook'> {
  const { webhookId, url, events, sessionId, failedInRow, lastFailureAtMs, createdAtMs } = webhook;
  const lastSuccessAtMs = health?.lastSuccessAtMs ?? undefined;
  return {
    id: webhookId,
    url,
    events: [...events],
    ...(sessionId !== undefined && { session_id: sessionId }),
    status: findStatus(webhook),
    retry: webhook.retry ?? 'standard',
    ...(webhook.states && { states: [...webhook.states] }),
    consecutive_failures: failedInRow,
    ...(lastFailureAtMs !== undefined && { last_failure_at: formatTimestamp(lastFailureAtMs) }),
    ...(lastSuccessAtMs !== undefined && { last_success_at: formatTimestamp(lastSuccessAtMs) }),
    ...(health && { queued_deliveries: health.queued }),
    created_at: formatTimestamp(createdAtMs),
  };
}

function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
