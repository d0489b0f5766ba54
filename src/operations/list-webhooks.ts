import { findHealth } from '../store/settled-deliveries.js';
import { createWebhookTable } from '../store/webhooks.js';
import { toWebhook } from '../webhooks/view.js';
import type { OperationRecord } from './operation.js';

/** Returns the account's webhooks with the health of each receiver. No other response contains the health. */
export const listWebhooks: OperationRecord<'listWebhooks', 'store'> = {
  personalData: 'none',
  sharesThread: true,
  async handle({ store }, _input, { accountId }) {
    const reader = store.read(accountId);
    const webhooks = await createWebhookTable(reader).list();
    const health = await findHealth(
      reader,
      webhooks.map((it) => it.webhookId),
    );
    return { status: 200, body: { webhooks: webhooks.map((it) => toWebhook(it, health.get(it.webhookId))) } };
  },
};
