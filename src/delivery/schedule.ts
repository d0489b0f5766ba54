import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import type { Delivery } from '../store/delivery-row.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { isSuccess } from './attempt.js';

/** The status with which a receiver disables its webhook. */
export const gone = 410;

type Attempted = Schema<'DeliveryAttempt'>;

/** The webhook after an attempt; a success forgives earlier failures, a 410 of the receiver disables it. */
export function webhookAfter(webhook: StoredWebhook, attempt: Attempted, nowMs: number): StoredWebhook {
  if (isSuccess(attempt)) return webhook.failedInRow === 0 ? webhook : { ...webhook, failedInRow: 0 };
  const failed = { ...webhook, failedInRow: webhook.failedInRow + 1, lastFailureAtMs: nowMs };
  return attempt.status === gone ? { ...failed, disabledAtMs: webhook.disabledAtMs ?? nowMs } : failed;
}

/** The delivery after an attempt at it: delivered, due again after the pause that the schedule names, or failed. */
export function deliveryAfter(delivery: Delivery, webhook: StoredWebhook, attempt: Attempted, nowMs: number): Delivery {
  const attempts = [...delivery.attempts, attempt];
  const settled = { ...delivery, attempts, owner: null, settledAtMs: nowMs };
  if (isSuccess(attempt)) return { ...settled, status: 'delivered' };
  if (isRefused(delivery, webhook, attempt)) return { ...settled, status: 'failed', reason: 'disabled' };
  const pauseSeconds = settings.retry_after_seconds[attempts.length - 1];
  if (pauseSeconds === undefined) return { ...settled, status: 'failed', reason: 'attempts_exhausted' };
  return { ...delivery, attempts, owner: null, dueAtMs: nowMs + pauseSeconds * 1000 };
}

/** What somebody retries by hand is sent whether the webhook is disabled or not. */
function isRefused({ seq }: Delivery, { disabledAtMs }: StoredWebhook, { status }: Attempted): boolean {
  return status === gone || (disabledAtMs !== undefined && seq !== null);
}

/** What a webhook's status shows. */
export function statusOf({ disabledAtMs, failedInRow }: StoredWebhook): Schema<'WebhookStatus'> {
  if (disabledAtMs !== undefined) return 'disabled';
  return failedInRow >= settings.failed_after_attempts ? 'failed' : 'active';
}
