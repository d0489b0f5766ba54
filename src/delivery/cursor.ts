import type { Delivery } from '../store/delivery-row.js';
import type { DeliveryCursor } from '../store/settled-deliveries.js';

/** Encodes the position after a settled delivery as an opaque cursor. */
export function writeCursor({ settledAtMs, deliveryId }: Pick<Delivery, 'settledAtMs' | 'deliveryId'>): string {
  return Buffer.from(`${settledAtMs}.${deliveryId}`).toString('base64url');
}

/** Decodes a cursor. Returns undefined for an invalid cursor. */
export function readCursor(cursor: string): DeliveryCursor | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, settledAtMs, deliveryId] = /^(\d{1,15})\.(dlv_[0-9a-f]{20})$/.exec(text) ?? [];
  if (settledAtMs === undefined || deliveryId === undefined) return undefined;
  return { settledAtMs: Number(settledAtMs), deliveryId };
}
