import type { Schema } from '../contract.js';

/**
 * due: may be sent at `dueAtMs`; queued: waits for those before it in its line, the events of one session for one
 * webhook; delivered and failed: settled.
 */
export type DeliveryStatus = 'queued' | 'due' | 'delivered' | 'failed';

export interface Delivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly sessionId: string;
  /** The person whose data the payload holds; null where the session has no subject. */
  readonly subjectId: string | null;
  /** Its place in the line; null for what stands outside the order. */
  readonly seq: number | null;
  /** The queue: 8 hex characters of the account's hash and 8 of the hash of the receiver's host and port. */
  readonly receiver: string;
  readonly status: DeliveryStatus;
  /** Of a failed one. */
  readonly reason: Schema<'FailureReason'> | null;
  /** The bytes that the receiver gets. */
  readonly payload: string;
  /** Of the present schedule, oldest first. */
  readonly attempts: ReadonlyArray<Schema<'DeliveryAttempt'>>;
  /** When it may be claimed; of a claimed one, when its lease ends. Epoch ms. */
  readonly dueAtMs: number;
  /** The claim under which it is being sent. */
  readonly owner: string | null;
  readonly settledAtMs: number | null;
}

/** As it is read, with these names. */
export interface DeliveryRow extends Omit<Delivery, 'attempts'> {
  readonly attempts: string;
}

/** The columns of its fields. */
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
