import { createHash, randomUUID } from 'node:crypto';
import { extendedQueueMark } from '../store/delivery-queue.js';
import type { Delivery } from '../store/delivery-row.js';
import type { StoredWebhook } from '../store/webhooks.js';

/** Number of hash characters in each half of `Delivery.receiver`. */
const hashCharacters = 8;

/**
 * Creates a delivery. By default, the event happens when the delivery is due, and the delivery does not belong to the
 * queue of its session.
 */
export function newDelivery(
  { accountId, ...webhook }: Pick<StoredWebhook, 'webhookId' | 'url' | 'retry'> & { readonly accountId: string },
  rest: Pick<Delivery, 'sessionId' | 'payload' | 'dueAtMs'> & Partial<Delivery>,
): Delivery {
  return {
    deliveryId: newId('dlv'),
    webhookId: webhook.webhookId,
    subjectId: null,
    seq: null,
    receiver: nameQueue(accountId, webhook),
    status: 'due',
    reason: null,
    attempts: [],
    eventAtMs: rest.dueAtMs,
    owner: null,
    settledAtMs: null,
    ...rest,
  };
}

/** Returns an unguessable id: the prefix and 20 hex characters. */
export function newId(prefix: 'wh' | 'dlv'): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}

/**
 * Returns the name of the webhook's queue. Each host and port of an account has one queue for webhooks with standard
 * retries. Each URL with extended retries has its own queue, so that a failing webhook occupies no slots of others. The
 * first half of the name is the same for all queues of an account.
 */
export function nameQueue(accountId: string, { url, retry }: Pick<StoredWebhook, 'url' | 'retry'>): string {
  if (retry === 'extended') return hashOf(accountId) + extendedQueueMark + hashOf(url).slice(extendedQueueMark.length);
  const { protocol, hostname, port } = new URL(url);
  const address = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  return hashOf(accountId) + hashOf(address);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashCharacters);
}
