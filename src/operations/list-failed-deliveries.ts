import type { Schema } from '../contract/contract.js';
import type { Delivery } from '../store/delivery-row.js';
import { createDeliveryLog } from '../store/settled-deliveries.js';
import { createWebhookTable } from '../store/webhooks.js';
import { splitDeliveries } from '../webhooks/view.js';
import { findDeliveryPage } from './delivery-page.js';
import type { OperationRecord } from './operation.js';

export const listFailedDeliveries: OperationRecord<'listFailedDeliveries', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { query }, { accountId }) {
    const scope = store.read(accountId);
    const by = query.sort === 'event_time' ? 'eventAtMs' : 'settledAtMs';
    const isOfAll = by === 'eventAtMs' && query.webhook_id === undefined;
    const webhookIds = isOfAll ? (await createWebhookTable(scope).list()).map((it) => it.webhookId) : undefined;
    const { page, next_cursor } = await findDeliveryPage(
      query,
      (filter, max) => createDeliveryLog(scope).page(['failed'], filter, max, by, webhookIds),
      by,
    );
    return { status: 200, body: { ...splitDeliveries(page, toFailedDelivery), next_cursor } };
  },
};

function toFailedDelivery({ deliveryId, webhookId, payload, attempts, reason }: Delivery): Schema<'FailedDelivery'> {
  return {
    id: deliveryId,
    webhook_id: webhookId,
    payload: JSON.parse(payload),
    attempts: [...attempts],
    reason: reason ?? 'attempts_exhausted',
  };
}
