import type { Operation } from '../contract.js';
import { issueSecret, rotateTo } from '../delivery/signing-secrets.js';
import { toWebhook } from '../delivery/webhook-view.js';
import { idempotently } from './idempotently.js';
import { requireWebhook } from './require-webhook.js';
import type { Services } from './services.js';

/** Issues a new secret. Deliveries are signed with the old one too for a day, so that no receiver misses an event. */
export function rotateWebhookSecret(services: Services): Operation<'rotateWebhookSecret'> {
  const { secretBox, now } = services;
  return async ({ params, headers }, caller) => {
    const request = { operationId: 'rotateWebhookSecret', key: headers?.['Idempotency-Key'], content: params };
    return idempotently(services, caller, request, {
      async write(writer) {
        const { secret, sealed } = issueSecret(secretBox, caller.accountId, params.id);
        const rotated = rotateTo(await requireWebhook(writer, params.id), sealed, now());
        await writer.webhooks.update(rotated);
        return { status: 200, body: { ...toWebhook(rotated), secret } };
      },
    });
  };
}
