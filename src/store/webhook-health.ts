import type { Knex } from 'knex';
import { webhookDelivery as settings } from '../../generated/spec.js';

/** Delivery figures of a webhook. */
export interface WebhookHealth {
  /** Time of the newest successful delivery that is not yet purged, epoch ms. Null if there is none. */
  readonly lastSuccessAtMs: number | null;
  /** Number of unsettled deliveries, up to `queued_count_max`. */
  readonly queued: number;
}

/** Returns the health by webhook id. Runs one statement with two index searches per webhook and a bounded count. */
export async function findHealth(
  knex: Knex,
  accountId: string,
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
