import type { Knex } from 'knex';
import type { Schema } from '../contract/contract.js';
import { filterAsciiIds, nameColumns, toColumns } from './columns.js';

/**
 * - due: may be sent at `dueAtMs`
 * - queued: waits behind earlier deliveries of the same webhook and session
 * - delivered, failed: settled
 */
export type DeliveryStatus = 'queued' | 'due' | 'delivered' | 'failed';

export interface Delivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly sessionId: string;
  /** Subject whose data the payload contains. Null if the session has no subject. */
  readonly subjectId: string | null;
  /**
   * Position in the queue of the delivery's webhook and session. Negative for an ordered retry, which goes before all
   * events of its session that have not failed. Null for a delivery that is not in a queue.
   */
  readonly seq: number | null;
  /**
   * Name of the queue: 8 hex characters of the hash of the account, then 8 of the hash of host and port. With extended
   * retries, the second half is `extendedQueueMark` and 7 characters of the hash of the URL.
   */
  readonly receiver: string;
  readonly status: DeliveryStatus;
  /** Reason of the failure. Null if the delivery has not failed. */
  readonly reason: Schema<'FailureReason'> | null;
  /** The exact body that the receiver gets. */
  readonly payload: string;
  /** Time of the event in epoch ms. */
  readonly eventAtMs: number;
  /** Attempts of the current schedule, oldest first. */
  readonly attempts: ReadonlyArray<Schema<'DeliveryAttempt'>>;
  /** Time from which the delivery may be claimed, in epoch ms. For a claimed delivery, the end of the lease. */
  readonly dueAtMs: number;
  /** Id of the claim that holds the delivery. Null if no claim does. */
  readonly owner: string | null;
  readonly settledAtMs: number | null;
}

/** A database row with the field names of `Delivery`. */
export interface DeliveryRow extends Omit<Delivery, 'attempts'> {
  readonly attempts: string;
}

export const deliveryColumns = nameColumns(
  'deliveryId webhookId sessionId subjectId seq receiver status reason payload eventAtMs attempts dueAtMs owner settledAtMs',
);

/** Returns true for a manual retry, which is sent even if its webhook is disabled. */
export function isManualRetry({ seq }: Pick<Delivery, 'seq'>): boolean {
  return seq === null || seq < 0;
}

export function toRow(delivery: Delivery) {
  return toColumns(deliveryColumns, { ...delivery, attempts: JSON.stringify(delivery.attempts) });
}

export function toDelivery(row: DeliveryRow): Delivery {
  return { ...row, attempts: JSON.parse(row.attempts) };
}

/** Locks and returns those deliveries of an account that have the status. */
export async function lockDeliveries(
  transaction: Knex,
  accountId: string,
  deliveryIds: readonly string[],
  status: DeliveryStatus,
): Promise<Delivery[]> {
  const ids = filterAsciiIds(deliveryIds);
  if (ids.length === 0) return [];
  const rows: DeliveryRow[] = await transaction('deliveries')
    .select(deliveryColumns)
    .where({ account_id: accountId })
    .whereIn('delivery_id', ids)
    .where({ status })
    .orderBy('delivery_id')
    .forUpdate();
  return rows.map(toDelivery);
}
