import type { Schema } from '../contract/contract.js';
import type { Delivery } from '../store/delivery-row.js';
import type { ReadScope } from '../store/scope.js';
import { type DeliveryFilter, createDeliveryLog, createFailedDeliveryTable } from '../store/settled-deliveries.js';
import { createWebhookTable } from '../store/webhooks.js';
import { findDeliveryPage } from './delivery-page.js';
import type { OperationRecord } from './operation.js';

export const listFailedDeliveries: OperationRecord<'listFailedDeliveries', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { query }, { accountId }) {
    const scope = store.read(accountId);
    const { page, next_cursor } =
      query.sort === 'event_time'
        ? await findDeliveryPage(query, findByEvent(scope), 'eventAtMs')
        : await findDeliveryPage(query, createFailedDeliveryTable(scope).page);
    return { status: 200, body: { deliveries: page.map(toFailedDelivery), next_cursor } };
  },
};

/** Returns a function that finds the newest events of the webhook in the filter, otherwise of all webhooks. */
function findByEvent(scope: ReadScope) {
  return async (filter: DeliveryFilter, max: number): Promise<Delivery[]> => {
    const all = async () => (await createWebhookTable(scope).list()).map((it) => it.webhookId);
    const webhookIds = filter.webhookId === undefined ? await all() : [filter.webhookId];
    return createDeliveryLog(scope).failedByEvent(webhookIds, filter, max);
  };
}

function toFailedDelivery({ deliveryId, webhookId, payload, attempts, reason }: Delivery): Schema<'FailedDelivery'> {
  return {
    id: deliveryId,
    webhook_id: webhookId,
    payload: JSON.parse(payload),
    attempts: [...attempts],
    reason: reason ?? 'attempts_exhausted',
  };
}
