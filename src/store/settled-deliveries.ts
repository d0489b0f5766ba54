import type { Knex } from 'knex';
import { type Delivery, deliveryColumns, type DeliveryRow, toDelivery } from './delivery-row.js';

/** The last delivery of the previous page. */
export interface DeliveryCursor {
  readonly settledAtMs: number;
  readonly deliveryId: string;
}

export interface DeliveryFilter {
  readonly webhookId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Only deliveries that were settled at or after this time, epoch ms. */
  readonly sinceMs?: number | undefined;
  readonly after?: DeliveryCursor | undefined;
}

export type DeliveryOutcome = 'delivered' | 'failed';

/** The delivery log of one account. */
export function deliveryLog(knex: Knex, accountId: string) {
  const mine = () => knex('deliveries').where({ account_id: accountId }).select(deliveryColumns);

  return {
    /** Returns at most `max` deliveries with one outcome, newest first. */
    async page(outcome: DeliveryOutcome, filter: DeliveryFilter, max: number): Promise<Delivery[]> {
      const { webhookId, sessionId, sinceMs, after } = filter;
      const query = mine().where({ status: outcome });
      if (webhookId !== undefined) query.where({ webhook_id: webhookId });
      if (sessionId !== undefined) query.where({ session_id: sessionId });
      if (sinceMs !== undefined) query.where('settled_at_ms', '>=', sinceMs);
      if (after) onlyAfter(query, after);
      const order = ['settled_at_ms', 'delivery_id'].map((column) => ({ column, order: 'desc' }) as const);
      const rows: DeliveryRow[] = await query.orderBy(order).limit(max);
      return rows.map(toDelivery);
    },

    /** Returns a delivery with any status. */
    async find(deliveryId: string): Promise<Delivery | undefined> {
      const row: DeliveryRow | undefined = await mine().where({ delivery_id: deliveryId }).first();
      return row && toDelivery(row);
    },
  };
}

/** Starts after the cursor. The first condition is redundant, but only this condition can use the index. */
function onlyAfter(query: Knex.QueryBuilder, { settledAtMs, deliveryId }: DeliveryCursor): void {
  query
    .where('settled_at_ms', '<=', settledAtMs)
    .where((rest) => void rest.where('settled_at_ms', '<', settledAtMs).orWhere('delivery_id', '<', deliveryId));
}
