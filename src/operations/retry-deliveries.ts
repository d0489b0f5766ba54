import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { createDeliveryTable } from '../store/deliveries.js';
import type { Delivery } from '../store/delivery-row.js';
import type { WriteScope } from '../store/scope.js';
import { createDeliveryLog, createFailedDeliveryTable } from '../store/settled-deliveries.js';
import { createWebhookTable } from '../store/webhooks.js';
import { toOrderedRetries } from '../webhooks/queues.js';
import type { OperationRecord } from './operation.js';
import { requireWebhook } from './require-webhook.js';

/** Restarts the schedules of failed deliveries. The deliveries keep their ids. */
export const retryDeliveries: OperationRecord<'retryDeliveries', 'store' | 'now' | 'wakeWorker'> = {
  personalData: 'none',
  async handle({ store, now, wakeWorker }, { body }, { accountId }) {
    const delivery_ids = await store.transact(async (scopeOf) => {
      const scope = scopeOf(accountId);
      const failed = await failedOnes(scope, body);
      const ids = failed.map((it) => it.deliveryId);
      if (body.ordered !== true) {
        await createFailedDeliveryTable(scope).requeue(ids, now());
        return ids;
      }
      const retries = await toOrderedRetries(scope, failed, now());
      await createDeliveryTable(scope).updateHeld(retries);
      return retries.map((it) => it.deliveryId);
    });
    wakeWorker();
    return { status: 202, body: { count: delivery_ids.length, delivery_ids } };
  },
};

/** Locks and returns the requested deliveries that have failed and whose webhook still exists. Locks their webhooks. */
async function failedOnes(scope: WriteScope, request: Schema<'RetryRequest'>): Promise<Delivery[]> {
  const { delivery_ids, webhook_id } = request;
  if (webhook_id !== undefined) await requireWebhook(scope, webhook_id);
  const wanted = delivery_ids ?? (await findIds(scope, webhook_id ?? '', request));
  const failed = await createFailedDeliveryTable(scope).lock(wanted);
  const webhooks = await createWebhookTable(scope).lock([...new Set(failed.map((it) => it.webhookId))]);
  return failed.filter((it) => webhooks.has(it.webhookId));
}

/**
 * Returns the ids of the newest failures of a webhook. For ordered retries, returns the ids of its oldest failed events.
 */
async function findIds(
  scope: WriteScope,
  webhookId: string,
  { since, ordered }: Schema<'RetryRequest'>,
): Promise<string[]> {
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  if (ordered === true) return createFailedDeliveryTable(scope).oldest(webhookId, sinceMs, settings.retry_max);
  const failed = await createDeliveryLog(scope).page(['failed'], { webhookId, sinceMs }, settings.retry_max);
  return failed.map((it) => it.deliveryId);
}
