import type { Schema } from '../contract/contract.js';
import type { Delivery, DeliveryStatus } from '../store/delivery-row.js';

const describeStatus: Readonly<Record<DeliveryStatus, Schema<'DeliveryStatus'>>> = {
  queued: 'pending',
  due: 'pending',
  delivered: 'delivered',
  failed: 'failed',
};

/** Returns the delivery as defined in the contract. */
export function toContractDelivery(delivery: Delivery): Schema<'Delivery'> {
  const { deliveryId, webhookId, status, payload, attempts, reason, settledAtMs } = delivery;
  return {
    id: deliveryId,
    webhook_id: webhookId,
    status: describeStatus[status],
    payload: JSON.parse(payload),
    attempts: [...attempts],
    ...(reason !== null && { reason }),
    ...(settledAtMs !== null && { settled_at: new Date(settledAtMs).toISOString() }),
  };
}
