import { ProblemError } from '../contract/problem.js';
import { createDeliveryTable } from '../store/deliveries.js';
import { createWebhookTable } from '../store/webhooks.js';
import type { OperationRecord } from './operation.js';

const batchRows = 500;

/**
 * Deletes a webhook, then its queued deliveries in small batches. If the process crashes in between, the worker deletes
 * the remaining deliveries.
 */
export const removeWebhook: OperationRecord<'removeWebhook', 'store'> = {
  personalData: 'none',
  async handle({ store }, { params }, { accountId }) {
    const isRemoved = await store.transact((scopeOf) => createWebhookTable(scopeOf(accountId)).remove(params.id));
    if (!isRemoved) throw new ProblemError('webhook_not_found');
    const removeSome = () =>
      store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).removeSome(params.id, batchRows));
    while (await removeSome());
    return { status: 204 };
  },
};
