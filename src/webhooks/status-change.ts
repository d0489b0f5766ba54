import type { Logger } from 'pino';
import type { Schema } from '../contract/contract.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { findStatus } from './schedule.js';

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
