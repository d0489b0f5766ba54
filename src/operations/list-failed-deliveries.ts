import type { Schema } from '../contract.js';
import type { Delivery } from '../store/delivery-row.js';
import { findDeliveryPage } from './delivery-page.js';
import type { OperationRecord } from './operation.js';

export const listFailedDeliveries: OperationRecord<'listFailedDeliveries'> = {
  personalData: 'reads',
  async handle({ store }, { query }, { accountId }) {
    const { deliveries, nextCursor } = await findDeliveryPage(query, store.read(accountId).failedDeliveries);
    return { status: 200, body: { deliveries: deliveries.map(toFailedDelivery), next_cursor: nextCursor } };
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
