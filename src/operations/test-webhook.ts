import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Operation, Schema } from '../contract.js';
import { newDelivery } from '../delivery/new-delivery.js';
import { requireWebhook } from './require-webhook.js';
import type { Services } from './services.js';

/** Queues a sample event, which is then delivered like any other. */
export function testWebhook({ store, now, wakeWorker }: Services): Operation<'testWebhook'> {
  return async ({ params }, { accountId }) => {
    const payload = sampleEvent(now());
    const delivery_id = await store.transact(async (writerOf) => {
      const writer = writerOf(accountId);
      const webhook = await requireWebhook(writer, params.id);
      const rest = { sessionId: payload.session_id, payload: JSON.stringify(payload), dueAtMs: now() };
      const delivery = newDelivery({ ...webhook, accountId }, rest);
      await writer.deliveries.insert([delivery]);
      return delivery.deliveryId;
    });
    wakeWorker();
    return { status: 202, body: { delivery_id } };
  };
}

function sampleEvent(nowMs: number): Schema<'StateChange'> {
  return { event: 'state_change', ...settings.test_event, timestamp: new Date(nowMs).toISOString() };
}
