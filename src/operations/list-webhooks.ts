import type { Operation } from '../contract.js';
import { toWebhook } from '../delivery/webhook-view.js';
import type { Services } from './services.js';

export function listWebhooks({ store }: Services): Operation<'listWebhooks'> {
  return async (_input, { accountId }) => {
    const webhooks = await store.read(accountId).webhooks();
    return { status: 200, body: { webhooks: webhooks.map(toWebhook) } };
  };
}
