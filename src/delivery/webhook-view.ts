import type { Schema } from '../contract.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { statusOf } from './schedule.js';

/** A webhook in the shape of the contract, without its secret. */
export function toWebhook(webhook: StoredWebhook): Schema<'Webhook'> {
  const { webhookId, url, events, sessionId, createdAtMs } = webhook;
  return {
    id: webhookId,
    url,
    events: [...events],
    ...(sessionId !== undefined && { session_id: sessionId }),
    status: statusOf(webhook),
    created_at: new Date(createdAtMs).toISOString(),
  };
}
