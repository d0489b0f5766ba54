import type { Schema } from '../contract/contract.js';
import type { DueDelivery } from '../store/delivery-queue.js';
import { isManualRetry } from '../store/delivery-row.js';
import { inSpan } from '../observe/in-span.js';
import type { StoredWebhook } from '../store/webhooks.js';
import type { Attempt, AttemptOutcome } from './attempt.js';
import { openSecrets } from './signing-secrets.js';
import { type SecretBox, SecretBoxError } from './secret-box.js';
import { signatureHeaders } from './sign.js';

export interface SenderParts {
  readonly attempt: Attempt;
  readonly secretBox: SecretBox;
  readonly now: () => number;
  /** Aborts attempts when the worker closes. */
  readonly abort: AbortSignal;
  /** Maximum duration of an attempt, ms. */
  readonly attemptMs: number;
}

/**
 * Resolves with the attempt. Resolves with undefined if the delivery was not sent or the worker aborted the attempt.
 * The caller then releases the delivery.
 */
export type Send = (
  delivery: DueDelivery,
  webhook: StoredWebhook | undefined,
) => Promise<Schema<'DeliveryAttempt'> | undefined>;

/** Creates the function that signs and sends a claimed delivery once. */
export function createSender({ attempt, secretBox, now, abort, attemptMs }: SenderParts): Send {
  const tryOnce = async (delivery: DueDelivery, webhook: StoredWebhook, atMs: number): Promise<AttemptOutcome> => {
    try {
      const { accountId, deliveryId, payload } = delivery;
      const secrets = openSecrets(secretBox, accountId, webhook, atMs);
      const headers = signatureHeaders({ deliveryId, body: payload, atMs, secrets });
      const request = { accountId, url: webhook.url, body: payload, headers };
      return await inSpan('webhook attempt', 'CLIENT', { 'webhook.id': deliveryId }, () => attempt(request, abort));
    } catch (error) {
      if (error instanceof SecretBoxError) return { error: 'secret_unreadable' };
      throw error;
    }
  };
  return async (delivery, webhook) => {
    const atMs = now();
    // After a long pause of the process, the lease could expire during the attempt. Another worker would then also send
    // the delivery.
    const isTooLate = atMs + attemptMs > delivery.dueAtMs;
    if (!webhook || isTooLate || abort.aborted || isUnwanted(delivery, webhook)) return undefined;
    const startedAtMs = performance.now();
    const outcome = await tryOnce(delivery, webhook, atMs);
    if (abort.aborted && (outcome.status === undefined || outcome.error !== undefined)) return undefined;
    return {
      timestamp: new Date(atMs).toISOString(),
      ...outcome,
      duration_ms: Math.round(performance.now() - startedAtMs),
    };
  };
}

/** Returns true if the delivery must not be sent because its webhook is disabled. A manual retry is sent nevertheless. */
function isUnwanted(delivery: DueDelivery, { disabledAtMs }: StoredWebhook): boolean {
  return disabledAtMs !== undefined && !isManualRetry(delivery);
}
