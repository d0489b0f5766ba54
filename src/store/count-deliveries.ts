import type { Knex } from 'knex';
import { retry } from './retry.js';

/** Delivery counts of all accounts. Each count ends at `countMax`. */
export interface DeliveryCounts {
  /** Unsettled deliveries: queued, due, waiting for a retry or in flight. */
  readonly pending: number;
  /** Failed deliveries that are not yet purged. */
  readonly failed: number;
}

/** Maximum of a count. It bounds the duration for a table of any size. */
export const countMax = 100_000;

/** Returns both counts. Runs one statement that reads only an index. */
export async function countDeliveries(knex: Knex): Promise<DeliveryCounts> {
  const counted = (...statuses: readonly string[]) =>
    knex.count('*').from(knex('deliveries').whereIn('status', statuses).select('status').limit(countMax).as('counted'));
  const query = knex.select({ pending: counted('queued', 'due'), failed: counted('failed') });
  const [row] = await retry(async (): Promise<DeliveryCounts[]> => query.clone());
  return { pending: Number(row?.pending), failed: Number(row?.failed) };
}
