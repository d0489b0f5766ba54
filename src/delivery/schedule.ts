import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import { type Delivery, isManualRetry } from '../store/delivery-row.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { isSuccess } from './attempt.js';

/** HTTP status with which a receiver disables its webhook. */
export const gone = 410;

type Attempted = Schema<'DeliveryAttempt'>;

/** Returns the webhook after an attempt. A success resets the failure count. A 410 response disables the webhook. */
export function webhookAfter(webhook: StoredWebhook, attempt: Attempted, nowMs: number): StoredWebhook {
  if (isSuccess(attempt)) return webhook.failedInRow === 0 ? webhook : { ...webhook, failedInRow: 0 };
  const failed = { ...webhook, failedInRow: webhook.failedInRow + 1, lastFailureAtMs: nowMs };
  return attempt.status === gone ? { ...failed, disabledAtMs: webhook.disabledAtMs ?? nowMs } : failed;
}

/** Returns the delivery after an attempt: delivered, failed, or due again after the retry interval. */
export function deliveryAfter(delivery: Delivery, webhook: StoredWebhook, attempt: Attempted, nowMs: number): Delivery {
  const attempts = [...delivery.attempts, attempt];
  const settled = { ...delivery, attempts, owner: null, settledAtMs: nowMs };
  if (isSuccess(attempt)) return { ...settled, status: 'delivered' };
  if (isRefused(delivery, webhook, attempt)) return { ...settled, status: 'failed', reason: 'disabled' };
  const pauseSeconds = settings.retry_after_seconds[attempts.length - 1];
  if (pauseSeconds === undefined) return { ...settled, status: 'failed', reason: 'attempts_exhausted' };
  return { ...delivery, attempts, owner: null, dueAtMs: nowMs + pauseSeconds * 1000 };
}

/** Returns true if the delivery must not be retried. */
function isRefused(delivery: Delivery, { disabledAtMs }: StoredWebhook, { status }: Attempted): boolean {
  return status === gone || (disabledAtMs !== undefined && !isManualRetry(delivery));
}

/** Returns the webhook's status as shown to clients. */
export function statusOf({ disabledAtMs, failedInRow }: StoredWebhook): Schema<'WebhookStatus'> {
  if (disabledAtMs !== undefined) return 'disabled';
  return failedInRow >= settings.failed_after_attempts ? 'failed' : 'active';
}
