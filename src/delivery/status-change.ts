import type { Logger } from 'pino';
import type { Schema } from '../contract.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { statusOf } from './schedule.js';

/** A webhook whose status changed. Contains neither its URL nor its session, because it is logged. */
export interface StatusChange {
  readonly accountId: string;
  readonly webhookId: string;
  readonly previous: Schema<'WebhookStatus'>;
  readonly status: Schema<'WebhookStatus'>;
}

/** Returns undefined if both have the same status. */
export function statusChangeOf(
  accountId: string,
  before: StoredWebhook,
  after: StoredWebhook,
): StatusChange | undefined {
  const [previous, status] = [statusOf(before), statusOf(after)];
  return previous === status ? undefined : { accountId, webhookId: after.webhookId, previous, status };
}

/** To be called after the commit. */
export function logStatusChange(log: Logger, change: StatusChange): void {
  if (change.status === 'active') log.info(change, 'a webhook is active again');
  else log.warn(change, `a webhook is ${change.status}`);
}
