import type { Knex } from 'knex';
import { lockDeliveries } from './lock-deliveries.js';
import { type DeliveryFilter, deliveryLog } from './settled-deliveries.js';

/** Failed deliveries of one account. */
export function failedDeliveryTable(knex: Knex, accountId: string) {
  return {
    /** Returns at most `max` failed deliveries, newest first. */
    page: (filter: DeliveryFilter, max: number) => deliveryLog(knex, accountId).page('failed', filter, max),

    /** Returns the ids of at most `max` failed deliveries of a webhook, oldest event first. */
    async oldest(webhookId: string, sinceMs: number | undefined, max: number): Promise<string[]> {
      const query = knex('deliveries').where({ account_id: accountId, webhook_id: webhookId, status: 'failed' });
      if (sinceMs !== undefined) query.where('event_at_ms', '>=', sinceMs);
      return query.orderBy(['event_at_ms', 'delivery_id']).limit(max).pluck('delivery_id');
    },

    /** Locks and returns the requested deliveries that exist and have failed. */
    lock: (deliveryIds: readonly string[]) => lockDeliveries(knex, accountId, deliveryIds, 'failed'),

    /** Restarts the retry schedule. The deliveries are due immediately and no longer in their queues. */
    async requeue(deliveryIds: readonly string[], nowMs: number): Promise<void> {
      if (deliveryIds.length === 0) return;
      const fresh = { status: 'due', due_at_ms: nowMs, seq: null, attempts: '[]' };
      await knex('deliveries')
        .where({ account_id: accountId })
        .whereIn('delivery_id', deliveryIds)
        .update({ ...fresh, owner: null, reason: null, settled_at_ms: null });
    },
  };
}
