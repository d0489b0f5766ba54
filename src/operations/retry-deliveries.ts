import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import type { Writer } from '../store/store.js';
import { requireWebhook } from './require-webhook.js';
import type { OperationRecord } from './operation.js';

/** Restarts the schedules of failed deliveries. The deliveries keep their ids. */
export const retryDeliveries: OperationRecord<'retryDeliveries'> = {
  personalData: 'none',
  async handle({ store, now, wakeWorker }, { body }, { accountId }) {
    const delivery_ids = await store.transact(async (writerOf) => {
      const writer = writerOf(accountId);
      const ids = await failedOnes(writer, body);
      await writer.failedDeliveries.requeue(ids, now());
      return ids;
    });
    wakeWorker();
    return { status: 202, body: { count: delivery_ids.length, delivery_ids } };
  },
};

/** Returns the requested deliveries that have failed and whose webhook still exists. */
async function failedOnes(
  writer: Writer,
  { delivery_ids, webhook_id, since }: Schema<'RetryRequest'>,
): Promise<string[]> {
  if (webhook_id !== undefined) await requireWebhook(writer, webhook_id);
  const wanted = delivery_ids ?? (await newestOf(writer, webhook_id, since));
  const failed = await writer.failedDeliveries.lock(wanted);
  const webhooks = await writer.webhooks.lock([...new Set(failed.map((it) => it.webhookId))]);
  return failed.filter((it) => webhooks.has(it.webhookId)).map((it) => it.deliveryId);
}

async function newestOf(writer: Writer, webhookId: string | undefined, since: string | undefined): Promise<string[]> {
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  const failed = await writer.failedDeliveries.page({ webhookId, sinceMs }, settings.retry_max);
  return failed.map((it) => it.deliveryId);
}
