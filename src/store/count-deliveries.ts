import type { Knex } from 'knex';
import { retry } from './retry.js';

/** Delivery counts of all accounts. Each counts up to `countMax`. */
export interface DeliveryCounts {
  /** Unsettled deliveries: queued, due, waiting for a retry or in flight. */
  readonly pending: number;
  /** Retained failed deliveries. */
  readonly failed: number;
}

/** Upper bound of a count, which limits its time for any table size. */
export const countMax = 100_000;

/** Returns both counts in one statement that reads only an index. */
export async function countDeliveries(knex: Knex): Promise<DeliveryCounts> {
  const counted = (...statuses: readonly string[]) =>
    knex.count('*').from(knex('deliveries').whereIn('status', statuses).select('status').limit(countMax).as('counted'));
  const query = knex.select({ pending: counted('queued', 'due'), failed: counted('failed') });
  const [row] = await retry(async (): Promise<DeliveryCounts[]> => query.clone());
  return { pending: Number(row?.pending), failed: Number(row?.failed) };
}
