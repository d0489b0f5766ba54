import type { Operation } from '../contract.js';
import { toWebhook } from '../delivery/webhook-view.js';
import type { Services } from './services.js';

/** Returns the account's webhooks with the health of each receiver. No other response contains the health. */
export function listWebhooks({ store }: Services): Operation<'listWebhooks'> {
  return async (_input, { accountId }) => {
    const reader = store.read(accountId);
    const webhooks = await reader.webhooks();
    const health = await reader.webhookHealth(webhooks.map((it) => it.webhookId));
    return { status: 200, body: { webhooks: webhooks.map((it) => toWebhook(it, health.get(it.webhookId))) } };
  };
}
