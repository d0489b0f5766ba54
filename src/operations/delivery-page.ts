import { webhookDelivery as settings } from '../../generated/spec.js';
import { createFault, ProblemError } from '../contract/problem.js';
import type { Delivery } from '../store/delivery-row.js';
import type { DeliveryFilter, DeliveryTime } from '../store/settled-deliveries.js';
import { readCursor, writeCursor } from '../webhooks/view.js';

/** Filters of every operation that lists deliveries. */
interface PageQuery {
  readonly webhook_id?: string;
  readonly session_id?: string;
  readonly since?: string;
  readonly cursor?: string;
}

type FindDeliveries = (filter: DeliveryFilter, max: number) => Promise<Delivery[]>;

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Null for the last page. */
  readonly nextCursor: string | null;
}

/**
 * Finds one page of deliveries. Reads one delivery more than a page, to find out whether a next page exists. Throws a
 * ProblemError with code cursor_invalid.
 */
export async function findDeliveryPage(
  query: PageQuery,
  find: FindDeliveries,
  by: DeliveryTime = 'settledAtMs',
): Promise<DeliveryPage> {
  const { webhook_id: webhookId, session_id: sessionId, since, cursor } = query;
  const after = cursor === undefined ? undefined : readCursor(cursor, by);
  if (cursor !== undefined && !after)
    throw new ProblemError('validation_failed', { faults: [createFault('cursor_invalid', { parameter: 'cursor' })] });
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  const found = await find({ webhookId, sessionId, sinceMs, after }, settings.page_size + 1);
  const deliveries = found.slice(0, settings.page_size);
  const last = deliveries.at(-1);
  return { deliveries, nextCursor: found.length > deliveries.length && last ? writeCursor(last, by) : null };
}
