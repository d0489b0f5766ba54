import type { Schema } from '../contract.js';

/**
 * due: may be sent at `dueAtMs`. queued: waits behind earlier deliveries of the same webhook and session. delivered,
 * failed: settled.
 */
export type DeliveryStatus = 'queued' | 'due' | 'delivered' | 'failed';

export interface Delivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly sessionId: string;
  /** Subject whose data the payload contains. Null if the session has none. */
  readonly subjectId: string | null;
  /** Position in the queue of its webhook and session. Null for a delivery that is not part of a queue. */
  readonly seq: number | null;
  /** Receiver queue: 8 hex characters of the hash of the account and 8 of the hash of host and port. */
  readonly receiver: string;
  readonly status: DeliveryStatus;
  /** Reason of the failure. Null unless failed. */
  readonly reason: Schema<'FailureReason'> | null;
  /** The exact body that the receiver gets. */
  readonly payload: string;
  /** Attempts of the current schedule, oldest first. */
  readonly attempts: ReadonlyArray<Schema<'DeliveryAttempt'>>;
  /** When the delivery may be claimed. For a claimed delivery: when its lease ends. Epoch ms. */
  readonly dueAtMs: number;
  /** Id of the claim that holds the delivery. Null if none does. */
  readonly owner: string | null;
  readonly settledAtMs: number | null;
}

/** A row read with the field names of `Delivery`. */
export interface DeliveryRow extends Omit<Delivery, 'attempts'> {
  readonly attempts: string;
}

/** Column of each field. */
export const deliveryColumns = {
  deliveryId: 'delivery_id',
  webhookId: 'webhook_id',
  sessionId: 'session_id',
  subjectId: 'subject_id',
  seq: 'seq',
  receiver: 'receiver',
  status: 'status',
  reason: 'reason',
  payload: 'payload',
  attempts: 'attempts',
  dueAtMs: 'due_at_ms',
  owner: 'owner',
  settledAtMs: 'settled_at_ms',
};

export function toRow(delivery: Delivery): Record<string, string | number | null> {
  const fields = { ...delivery, attempts: JSON.stringify(delivery.attempts) };
  return Object.fromEntries(
    Object.entries(deliveryColumns).map(([field, column]) => [column, fields[field as keyof Delivery]]),
  );
}

export function toDelivery(row: DeliveryRow): Delivery {
  return { ...row, attempts: JSON.parse(row.attempts) };
}
