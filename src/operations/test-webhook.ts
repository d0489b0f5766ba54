import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { createDeliveryTable } from '../store/deliveries.js';
import { createDelivery } from '../webhooks/queues.js';
import { runIdempotently } from './idempotently.js';
import type { OperationRecord } from './operation.js';
import { requireWebhook } from './require-webhook.js';

/** Queues a sample event, which the worker delivers like any other event. */
export const testWebhook: OperationRecord<'testWebhook', 'store' | 'secretBox' | 'now' | 'wakeWorker'> = {
  personalData: 'none',
  async handle(services, { params, headers }, caller) {
    const { now, wakeWorker } = services;
    const request = { operationId: 'testWebhook', key: headers?.['Idempotency-Key'], content: params };
    const response = await runIdempotently(services, caller, request, {
      async write(writer) {
        const payload = sampleEvent(now());
        const webhook = await requireWebhook(writer, params.id);
        const rest = { sessionId: payload.session_id, payload: JSON.stringify(payload), dueAtMs: now() };
        const delivery = createDelivery({ ...webhook, accountId: caller.accountId }, rest);
        await createDeliveryTable(writer).insert([delivery]);
        return { status: 202 as const, body: { delivery_id: delivery.deliveryId } };
      },
    });
    wakeWorker();
    return response;
  },
};

function sampleEvent(nowMs: number): Schema<'StateChange'> {
  return { event: 'state_change', ...settings.test_event, timestamp: new Date(nowMs).toISOString() };
}
