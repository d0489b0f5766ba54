import type { Delivery } from '../store/delivery-row.js';
import type { FailedCursor } from '../store/failed-deliveries.js';

/** Names the place after a failed delivery; opaque to clients. */
export function writeCursor({ settledAtMs, deliveryId }: Pick<Delivery, 'settledAtMs' | 'deliveryId'>): string {
  return Buffer.from(`${settledAtMs}.${deliveryId}`).toString('base64url');
}

/** Undefined for what was not written here. */
export function readCursor(cursor: string): FailedCursor | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, settledAtMs, deliveryId] = /^(\d{1,15})\.(dlv_[0-9a-f]{20})$/.exec(text) ?? [];
  if (settledAtMs === undefined || deliveryId === undefined) return undefined;
  return { settledAtMs: Number(settledAtMs), deliveryId };
}
