import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Delivery } from '../store/delivery-row.js';
import type { DeliveryCursor, DeliveryFilter, DeliveryTime } from '../store/settled-deliveries.js';
import { createCursors, digits, findPage } from './page.js';

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
  return findPage(deliveryCursors[by], settings.page_size, cursor, async (after, max) => {
    const found = await find({ webhookId, sessionId, sinceMs, after }, max);
    return found.map((delivery) => ({ ...delivery, atMs: delivery[by] ?? 0 }));
  });
}

const place = { atMs: digits, deliveryId: 'dlv_[0-9a-f]{20}' };
/** The orders of lists. Their cursors begin differently, so that a list rejects a cursor of the other order. */
export const deliveryCursors = {
  settledAtMs: createCursors<DeliveryCursor>(place),
  eventAtMs: createCursors<DeliveryCursor>(place, 'e'),
};
