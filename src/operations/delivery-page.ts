import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Delivery } from '../store/delivery-row.js';
import type { DeliveryCursor, DeliveryFilter, DeliveryTime } from '../store/settled-deliveries.js';
import { findPage, type Pages } from './page.js';

/** Filters of every operation that lists deliveries. */
interface PageQuery {
  readonly webhook_id?: string;
  readonly session_id?: string;
  readonly since?: string;
  readonly cursor?: string;
}

/** Finds one page of deliveries. Throws a ProblemError with code cursor_invalid. */
export function findDeliveryPage(
  { webhook_id: webhookId, session_id: sessionId, since, cursor }: PageQuery,
  find: (filter: DeliveryFilter, max: number) => Promise<Delivery[]>,
  by: DeliveryTime = 'settledAtMs',
) {
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  return findPage(deliveryPages[by], cursor, (after, max) => find({ webhookId, sessionId, sinceMs, after }, max));
}

/** The orders of lists. Their cursors begin differently, so that a list rejects a cursor of the other order. */
export const deliveryPages = { settledAtMs: createPages('settledAtMs', ''), eventAtMs: createPages('eventAtMs', 'e') };

function createPages(
  by: DeliveryTime,
  start: string,
): Pages<Pick<Delivery, DeliveryTime | 'deliveryId'>, DeliveryCursor> {
  return {
    size: settings.page_size,
    write: (last) => `${start}${last[by]}.${last.deliveryId}`,
    pattern: new RegExp(`^${start}(\\d{1,15})\\.(dlv_[0-9a-f]{20})$`),
    read: ([atMs, deliveryId = '']) => ({ atMs: Number(atMs), deliveryId }),
  };
}
