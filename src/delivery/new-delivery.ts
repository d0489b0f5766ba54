import { createHash, randomUUID } from 'node:crypto';
import type { Delivery } from '../store/delivery-row.js';
import type { StoredWebhook } from '../store/webhooks.js';

const receiverCharacters = 16;

/** A delivery that is due at once and stands outside the order, unless `rest` says otherwise. */
export function newDelivery(
  { webhookId, url }: Pick<StoredWebhook, 'webhookId' | 'url'>,
  rest: Pick<Delivery, 'sessionId' | 'payload' | 'dueAtMs'> & Partial<Delivery>,
): Delivery {
  return {
    deliveryId: newId('dlv'),
    webhookId,
    subjectId: null,
    seq: null,
    receiver: receiverOf(url),
    status: 'due',
    reason: null,
    attempts: [],
    owner: null,
    settledAtMs: null,
    ...rest,
  };
}

/** An id that nobody can guess: a prefix and 20 hex characters. */
export function newId(prefix: 'wh' | 'dlv'): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}

/** Receivers are told apart by host and port: webhooks of one host share its slots. */
function receiverOf(url: string): string {
  return createHash('sha256').update(new URL(url).host).digest('hex').slice(0, receiverCharacters);
}
