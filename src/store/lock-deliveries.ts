import type { Knex } from 'knex';
import { filterAsciiIds } from './ascii-ids.js';
import { type Delivery, deliveryColumns, type DeliveryRow, type DeliveryStatus, toDelivery } from './delivery-row.js';

/** Locks and returns those deliveries of an account that have the status. */
export async function lockDeliveries(
  transaction: Knex,
  accountId: string,
  deliveryIds: readonly string[],
  status: DeliveryStatus,
): Promise<Delivery[]> {
  const rows: DeliveryRow[] = await transaction('deliveries')
    .select(deliveryColumns)
    .where({ account_id: accountId })
    .whereIn('delivery_id', filterAsciiIds(deliveryIds))
    .where({ status })
    .orderBy('delivery_id')
    .forUpdate();
  return rows.map(toDelivery);
}
