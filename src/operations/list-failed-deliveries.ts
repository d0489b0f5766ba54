import type { Schema } from '../contract/contract.js';
import type { Delivery } from '../store/delivery-row.js';
import { splitDeliveries } from '../webhooks/view.js';
import { findDeliveryPage } from './delivery-page.js';
import type { OperationRecord } from './operation.js';

export const listFailedDeliveries: OperationRecord<'listFailedDeliveries', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { query }, { accountId }) {
    const by = query.sort === 'event_time' ? 'eventAtMs' : 'settledAtMs';
    const { page, next_cursor } = await findDeliveryPage(store.read(accountId), ['failed'], query, by);
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
