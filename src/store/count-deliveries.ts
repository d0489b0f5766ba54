import type { Knex } from 'knex';
import { retry } from './retry.js';

/** Deliveries of all accounts. Each figure is counted up to `countMax`. */
export interface DeliveryCounts {
  /** Deliveries that are not settled: queued, due, waiting for a retry or in progress. */
  readonly pending: number;
  /** Retained deliveries that failed for good. */
  readonly failed: number;
}

/** Bounds the time of a count: it ends there, whatever the length of the table. */
export const countMax = 100_000;

/** Returns both counts from an index, in one statement. */
export async function countDeliveries(knex: Knex): Promise<DeliveryCounts> {
  const counted = (...statuses: readonly string[]) =>
    knex.count('*').from(knex('deliveries').whereIn('status', statuses).select('status').limit(countMax).as('counted'));
  const query = knex.select({ pending: counted('queued', 'due'), failed: counted('failed') });
  const [row] = await retry(async (): Promise<DeliveryCounts[]> => query.clone());
  return { pending: Number(row?.pending), failed: Number(row?.failed) };
}
