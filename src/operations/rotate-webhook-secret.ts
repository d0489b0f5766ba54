import type { Operation } from '../contract.js';
import { issueSecret, rotateTo } from '../delivery/signing-secrets.js';
import { toWebhook } from '../delivery/webhook-view.js';
import { requireWebhook } from './require-webhook.js';
import type { Services } from './services.js';

/** The one before goes on signing for a day, so that no receiver misses an event meanwhile. */
export function rotateWebhookSecret({ store, secretBox, now }: Services): Operation<'rotateWebhookSecret'> {
  return async ({ params }, { accountId }) => {
    const { secret, sealed } = issueSecret(secretBox, accountId, params.id);
    const webhook = await store.transact(async (writerOf) => {
      const writer = writerOf(accountId);
      const rotated = rotateTo(await requireWebhook(writer, params.id), sealed, now());
      await writer.webhooks.update(rotated);
      return rotated;
    });
    return { status: 200, body: { ...toWebhook(webhook), secret } };
  };
}
