import type { Logger } from 'pino';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { DueDelivery } from '../store/delivery-queue.js';
import { type Delivery, isManualRetry } from '../store/delivery-row.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { buildQueueName } from './queues.js';
import { isSuccess } from './send.js';

/** HTTP status with which a receiver disables its webhook. */
export const gone = 410;

type Attempted = Schema<'DeliveryAttempt'>;

/**
 * Returns the webhook after an attempt. A success resets the failure count. A 410 response disables the webhook. The time of
 * the next attempt follows from the delivery.
 */
export function updateWebhook(webhook: StoredWebhook, attempt: Attempted, nowMs: number): StoredWebhook {
  if (isSuccess(attempt)) return webhook.failedInRow === 0 ? webhook : { ...webhook, failedInRow: 0 };
  const { answer: _, ...lastFailure } = attempt;
  const failed = { ...webhook, failedInRow: webhook.failedInRow + 1, lastFailureAtMs: nowMs, lastFailure };
  return attempt.status === gone ? { ...failed, disabledAtMs: webhook.disabledAtMs ?? nowMs } : failed;
}

/** Returns the delivery after an attempt: delivered, failed, or due again after the retry interval. */
export function updateDelivery(
  { accountId, ...delivery }: DueDelivery,
  webhook: StoredWebhook,
  attempt: Attempted,
  nowMs: number,
): Delivery {
  const attempts = addAttempt(delivery.attempts, attempt);
  const settled = { ...delivery, attempts, owner: null, settledAtMs: nowMs };
  if (isSuccess(attempt)) return { ...settled, status: 'delivered' };
  const isDisabled = webhook.disabledAtMs !== undefined && !isManualRetry(delivery);
  if (attempt.status === gone || isDisabled) return { ...settled, status: 'failed', reason: 'disabled' };
  const pauseMs = pauseAfter({ ...delivery, attempts }, webhook, nowMs);
  if (pauseMs === undefined) return { ...settled, status: 'failed', reason: 'attempts_exhausted' };
  // The queue changes if the webhook was registered again with another schedule.
  const receiver = buildQueueName(accountId, webhook);
  return { ...delivery, attempts, receiver, owner: null, dueAtMs: nowMs + pauseMs };
}

/** Adds an attempt. Keeps only the first attempt and the newest attempts, to bound the size. */
function addAttempt(earlier: readonly Attempted[], attempt: Attempted): Attempted[] {
  const [first = attempt, ...others] = [...earlier, attempt];
  return [first, ...others.slice(1 - settings.extended_retry.attempts_kept)];
}

/** Returns the pause before the next attempt, in ms. Undefined after the last attempt. */
function pauseAfter(delivery: Delivery, { retry }: StoredWebhook, nowMs: number): number | undefined {
  if (retry === 'extended') return extendedPauseAfter(delivery, nowMs);
  const seconds = settings.retry_after_seconds[delivery.attempts.length - 1];
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * Returns the pause of an extended retry, in ms. Its limit counts from the event, so that a long queue does not multiply
 * the limit. A manual retry of an old event counts from its first attempt.
 */
function extendedPauseAfter(delivery: Delivery, nowMs: number): number | undefined {
  const { growth, min_seconds: min, max_seconds: max, jitter, hours } = settings.extended_retry;
  const firstAttemptAtMs = Date.parse(delivery.attempts[0]?.timestamp ?? '');
  const startMs = isManualRetry(delivery) ? firstAttemptAtMs : delivery.eventAtMs;
  const leftMs = startMs + hours * 3_600_000 - nowMs;
  const longestMs = Math.min(max * 1000, Math.max(min * 1000, growth * (nowMs - firstAttemptAtMs)));
  return leftMs <= 0 ? undefined : Math.min(leftMs, Math.round(longestMs * (1 - jitter * Math.random())));
}

/** Returns the webhook's status as shown to clients. */
export function findStatus({ disabledAtMs, failedInRow }: StoredWebhook): Schema<'WebhookStatus'> {
  if (disabledAtMs !== undefined) return 'disabled';
  return failedInRow >= settings.failed_after_attempts ? 'failed' : 'active';
}

/** A webhook whose status changed. Contains neither URL nor session, because it is written to the log. */
export interface StatusChange {
  readonly accountId: string;
  readonly webhookId: string;
  readonly previous: Schema<'WebhookStatus'>;
  readonly status: Schema<'WebhookStatus'>;
}

/** Returns the change from one webhook to the other. Undefined if both have the same status. */
export function findStatusChange(
  accountId: string,
  before: StoredWebhook,
  after: StoredWebhook,
): StatusChange | undefined {
  const [previous, status] = [findStatus(before), findStatus(after)];
  return previous === status ? undefined : { accountId, webhookId: after.webhookId, previous, status };
}

/** Logs the change. Called after the commit. */
export function logStatusChange(log: Logger, change: StatusChange): void {
  if (change.status === 'active') log.info(change, 'a webhook is active again');
  else log.warn(change, `a webhook is ${change.status}`);
}
