import type { Knex } from 'knex';
import { type Delivery, deliveryColumns, type DeliveryRow, toDelivery } from './delivery-row.js';
import { lockDeliveries } from './lock-deliveries.js';

/** Where a page of failed deliveries goes on: after this one. */
export interface FailedCursor {
  readonly settledAtMs: number;
  readonly deliveryId: string;
}

export interface FailedFilter {
  readonly webhookId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly after?: FailedCursor | undefined;
}

/** One account's failed deliveries. */
export function failedDeliveryTable(knex: Knex, accountId: string) {
  const mine = () => knex('deliveries').where({ account_id: accountId });

  return {
    /** At most `max` of them, newest first. */
    async page({ webhookId, sessionId, sinceMs, after }: FailedFilter, max: number): Promise<Delivery[]> {
      const query = mine().select(deliveryColumns).where({ status: 'failed' });
      if (webhookId !== undefined) query.where({ webhook_id: webhookId });
      if (sessionId !== undefined) query.where({ session_id: sessionId });
      if (sinceMs !== undefined) query.where('settled_at_ms', '>=', sinceMs);
      if (after) onlyAfter(query, after);
      const order = ['settled_at_ms', 'delivery_id'].map((column) => ({ column, order: 'desc' }) as const);
      const rows: DeliveryRow[] = await query.orderBy(order).limit(max);
      return rows.map(toDelivery);
    },

    /** Locks those of the named ones that there are. */
    lock: (deliveryIds: readonly string[]) => lockDeliveries(knex, accountId, deliveryIds, 'failed'),

    /** Begins their schedules anew, at once and outside the order. */
    async requeue(deliveryIds: readonly string[], nowMs: number): Promise<void> {
      if (deliveryIds.length === 0) return;
      const fresh = { status: 'due', due_at_ms: nowMs, seq: null, attempts: '[]' };
      await mine()
        .whereIn('delivery_id', deliveryIds)
        .update({ ...fresh, owner: null, reason: null, settled_at_ms: null });
    },
  };
}

/** Said twice, because only the first is a place in the index at which to begin. */
function onlyAfter(query: Knex.QueryBuilder, { settledAtMs, deliveryId }: FailedCursor): void {
  query
    .where('settled_at_ms', '<=', settledAtMs)
    .where((rest) => void rest.where('settled_at_ms', '<', settledAtMs).orWhere('delivery_id', '<', deliveryId));
}
