import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Operation, Schema } from '../contract.js';
import { readCursor, writeCursor } from '../delivery/cursor.js';
import { fault, ProblemError } from '../problem.js';
import type { Delivery } from '../store/delivery-row.js';
import type { Services } from './services.js';

/** One page; one more than fits is asked for, to know whether there is a next. */
export function listFailedDeliveries({ store }: Services): Operation<'listFailedDeliveries'> {
  return async ({ query }, { accountId }) => {
    const { webhook_id: webhookId, session_id: sessionId, since, cursor } = query;
    const after = cursor === undefined ? undefined : readCursor(cursor);
    if (cursor !== undefined && !after)
      throw new ProblemError('validation_failed', { faults: [fault('cursor_invalid', { parameter: 'cursor' })] });
    const sinceMs = since === undefined ? undefined : Date.parse(since);
    const filter = { webhookId, sessionId, sinceMs, after };
    const found = await store.read(accountId).failedDeliveries(filter, settings.page_size + 1);
    const page = found.slice(0, settings.page_size);
    const last = page.at(-1);
    const next_cursor = found.length > page.length && last ? writeCursor(last) : null;
    return { status: 200, body: { deliveries: page.map(toFailedDelivery), next_cursor } };
  };
}

function toFailedDelivery({ deliveryId, webhookId, payload, attempts, reason }: Delivery): Schema<'FailedDelivery'> {
  return {
    id: deliveryId,
    webhook_id: webhookId,
    payload: JSON.parse(payload),
    attempts: [...attempts],
    reason: reason ?? 'attempts_exhausted',
  };
}
