import type { Delivery } from '../store/delivery-row.js';
import type { DeliveryCursor, DeliveryTime } from '../store/settled-deliveries.js';

/** Start of the cursors of each order, so that a list rejects a cursor of the other order. */
const prefixes = { settledAtMs: '', eventAtMs: 'e' } as const;

/** Encodes the position after a settled delivery as an opaque cursor of a list that is ordered by a time. */
export function writeCursor(delivery: Pick<Delivery, DeliveryTime | 'deliveryId'>, by: DeliveryTime): string {
  return Buffer.from(`${prefixes[by]}${delivery[by]}.${delivery.deliveryId}`).toString('base64url');
}

/** Decodes a cursor. Returns undefined for an invalid cursor. */
export function readCursor(cursor: string, by: DeliveryTime): DeliveryCursor | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, prefix, atMs, deliveryId] = /^(e?)(\d{1,15})\.(dlv_[0-9a-f]{20})$/.exec(text) ?? [];
  if (prefix !== prefixes[by] || atMs === undefined || deliveryId === undefined) return undefined;
  return { atMs: Number(atMs), deliveryId };
}
