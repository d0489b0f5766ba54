import { ProblemError } from '../contract/problem.js';
import { createWebhookTable } from '../store/webhooks.js';
import { findRotationEnd, issueSecret, rotateSecret } from '../webhooks/secrets.js';
import { toWebhook } from '../webhooks/view.js';
import { runIdempotently } from './idempotently.js';
import type { OperationRecord } from './operation.js';
import { requireWebhook } from './require-webhook.js';

/**
 * Issues a new secret. The previous secret also signs deliveries for a day, so that no receiver rejects an event.
 *
 * Throws rotation_in_progress during that day, because a further rotation would end the previous secret early.
 */
export const rotateWebhookSecret: OperationRecord<'rotateWebhookSecret', 'store' | 'secretBox' | 'now'> = {
  personalData: 'none',
  async handle(services, { params, headers }, caller) {
    const { secretBox, now } = services;
    const request = { operationId: 'rotateWebhookSecret', key: headers?.['Idempotency-Key'], content: params };
    return runIdempotently(services, caller, request, {
      async write(writer) {
        const { secret, sealed } = issueSecret(secretBox, caller.accountId, params.id);
        const webhook = await requireWebhook(writer, params.id);
        refuseDuringRotation(findRotationEnd(webhook, now()), now());
        const rotated = rotateSecret(webhook, sealed, now());
        await createWebhookTable(writer).update(rotated);
        return { status: 200, body: { ...toWebhook(rotated), secret } };
      },
    });
  },
};

function refuseDuringRotation(endsAtMs: number | undefined, nowMs: number): void {
  if (endsAtMs === undefined) return;
  throw new ProblemError('rotation_in_progress', {
    values: { until: new Date(endsAtMs).toISOString() },
    retryAfterSeconds: Math.ceil((endsAtMs - nowMs) / 1000),
  });
}
