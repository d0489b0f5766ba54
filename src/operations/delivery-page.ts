import { webhookDelivery as settings } from '../../generated/spec.js';
import type { DeliveryStatus } from '../store/delivery-row.js';
import type { ReadScope } from '../store/scope.js';
import { createDeliveryLog, type DeliveryCursor, type DeliveryTime } from '../store/settled-deliveries.js';
import { createWebhookTable } from '../store/webhooks.js';
import { createCursors, digits, findPage } from './page.js';

/** Filters of every operation that lists deliveries. */
interface PageQuery {
  readonly webhook_id?: string;
  readonly session_id?: string;
  readonly since?: string;
  readonly cursor?: string;
}

/** Finds one page of deliveries. Throws a ProblemError with code cursor_invalid. */
export async function findDeliveryPage(
  scope: ReadScope,
  statuses: readonly DeliveryStatus[],
  { webhook_id: webhookId, session_id: sessionId, since, cursor }: PageQuery,
  by: DeliveryTime = 'settledAtMs',
) {
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  // An index orders the events of one webhook only.
  const isOfAll = by === 'eventAtMs' && webhookId === undefined;
  const webhookIds = isOfAll ? (await createWebhookTable(scope).list()).map((it) => it.webhookId) : undefined;
  return findPage(deliveryCursors[by], settings.page_size, cursor, async (after, max) => {
    const filter = { webhookId, sessionId, sinceMs, after };
    const found = await createDeliveryLog(scope).page(statuses, filter, max, by, webhookIds);
    return found.map((delivery) => ({ ...delivery, atMs: delivery[by] ?? 0 }));
  });
}

const place = { atMs: digits, deliveryId: 'dlv_[0-9a-f]{20}' };
/** The orders of lists. Their cursors begin differently, so that a list rejects a cursor of the other order. */
export const deliveryCursors = {
  settledAtMs: createCursors<DeliveryCursor>(place),
  eventAtMs: createCursors<DeliveryCursor>(place, 'e'),
};
