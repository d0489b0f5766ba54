import type { Knex } from 'knex';
import { webhookDelivery as settings } from '../../generated/spec.js';
import { startAfter, unionAll } from './columns.js';
import {
  type Delivery,
  deliveryColumns,
  type DeliveryRow,
  type DeliveryStatus,
  lockDeliveries,
  toDelivery,
} from './delivery-row.js';
import type { ReadScope } from './scope.js';

/** The last delivery of the previous page. */
export interface DeliveryCursor {
  /** The time of this delivery that orders the list, in epoch ms. */
  readonly atMs: number;
  readonly deliveryId: string;
}

export interface DeliveryFilter {
  readonly webhookId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Only deliveries with a later or the same time in epoch ms. */
  readonly sinceMs?: number | undefined;
  readonly after?: DeliveryCursor | undefined;
}

/** The time that orders and filters a list. */
export type DeliveryTime = 'settledAtMs' | 'eventAtMs';

export function createDeliveryLog({ knex, accountId }: ReadScope) {
  const mine = () => knex('deliveries').where({ account_id: accountId }).select(deliveryColumns);
  const pageQuery = (status: DeliveryStatus, filter: DeliveryFilter, max: number, by: DeliveryTime) => {
    const { webhookId, sessionId, sinceMs, after } = filter;
    const time = deliveryColumns[by];
    const query = mine().where({ status });
    if (webhookId !== undefined) query.where({ webhook_id: webhookId });
    if (sessionId !== undefined) query.where({ session_id: sessionId });
    if (sinceMs !== undefined) query.where(time, '>=', sinceMs);
    return startAfter(query, 'desc', { [time]: after?.atMs, delivery_id: after?.deliveryId }).limit(max);
  };

  return {
    /**
     * Returns at most `max` deliveries with these statuses, newest first. Merges a page per status and webhook in memory,
     * because an index orders only the deliveries of one. `webhookIds`: those of the filter if absent.
     */
    async page(
      statuses: readonly DeliveryStatus[],
      filter: DeliveryFilter,
      max: number,
      by: DeliveryTime = 'settledAtMs',
      webhookIds: ReadonlyArray<string | undefined> = [filter.webhookId],
    ): Promise<Delivery[]> {
      const pages = statuses.flatMap((status) =>
        webhookIds.map((webhookId) => pageQuery(status, { ...filter, webhookId }, max, by)),
      );
      const rows: DeliveryRow[] = pages.length === 0 ? [] : await unionAll(knex, pages);
      const newestFirst = (a: Delivery, b: Delivery) =>
        (b[by] ?? 0) - (a[by] ?? 0) || (a.deliveryId < b.deliveryId ? 1 : -1);
      return rows.map(toDelivery).sort(newestFirst).slice(0, max);
    },

    async find(deliveryId: string): Promise<Delivery | undefined> {
      const row: DeliveryRow | undefined = await mine().where({ delivery_id: deliveryId }).first();
      return row && toDelivery(row);
    },
  };
}

export function createFailedDeliveryTable({ knex, accountId }: ReadScope) {
  return {
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

export interface WebhookHealth {
  /** Time of the newest successful delivery that is not yet purged, in epoch ms. Null if there is none. */
  readonly lastSuccessAtMs: number | null;
  /** Number of unsettled deliveries, up to `queued_count_max`. */
  readonly queued: number;
}

/** Returns the health by webhook id. Runs one statement with two index searches per webhook and a bounded count. */
export async function findHealth(
  { knex, accountId }: ReadScope,
  webhookIds: readonly string[],
): Promise<Map<string, WebhookHealth>> {
  if (webhookIds.length === 0) return new Map();
  const queries = webhookIds.map((webhookId) => healthQuery(knex, accountId, webhookId));
  const rows: Array<WebhookHealth & { webhookId: string }> = await knex.unionAll(queries);
  return new Map(rows.map((row) => [row.webhookId, { ...row, queued: Number(row.queued) }]));
}

function healthQuery(knex: Knex, accountId: string, webhookId: string): Knex.QueryBuilder {
  const mine = () => knex('deliveries').where({ account_id: accountId, webhook_id: webhookId });
  const lastSuccess = mine().where({ status: 'delivered' }).max('settled_at_ms');
  const pending = mine().whereIn('status', ['queued', 'due']).select('delivery_id').limit(settings.queued_count_max);
  const queued = knex.count('*').from(pending.as('pending'));
  return knex.select(knex.raw('? as ??', [webhookId, 'webhookId'])).select({ lastSuccessAtMs: lastSuccess, queued });
}
