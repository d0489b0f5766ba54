import { hash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { webhookDelivery as settings } from '../../generated/spec.js';
import { createDeliveryTable, type QueueId, toQueueKey } from '../store/deliveries.js';
import { extendedQueueMark } from '../store/delivery-queue.js';
import type { Delivery } from '../store/delivery-row.js';
import type { WriteScope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import { createWebhookTable, type StoredWebhook } from '../store/webhooks.js';

/** Number of hash characters in each half of `Delivery.receiver`. */
const hashCharacters = 8;

/**
 * Creates a delivery. By default, the event happens when the delivery is due, and the delivery does not belong to the
 * queue of its session.
 */
export function createDelivery(
  { accountId, ...webhook }: Pick<StoredWebhook, 'webhookId' | 'url' | 'retry'> & { readonly accountId: string },
  rest: Pick<Delivery, 'sessionId' | 'payload' | 'dueAtMs'> & Partial<Delivery>,
): Delivery {
  return {
    deliveryId: createWebhookId('dlv'),
    webhookId: webhook.webhookId,
    subjectId: null,
    seq: null,
    receiver: buildQueueName(accountId, webhook),
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
export function createWebhookId(prefix: 'wh' | 'dlv'): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}

/**
 * Returns the name of the webhook's queue. Each host and port of an account has one queue for webhooks with standard
 * retries. Each URL with extended retries has its own queue, so that a failing webhook occupies no slots of others. The
 * first half of the name is the same for all queues of an account.
 */
export function buildQueueName(accountId: string, { url, retry }: Pick<StoredWebhook, 'url' | 'retry'>): string {
  if (retry === 'extended') return digest(accountId) + extendedQueueMark + digest(url).slice(extendedQueueMark.length);
  const { protocol, hostname, port } = new URL(url);
  const address = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  return digest(accountId) + digest(address);
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, hashCharacters);
}

/** Maximum number of webhooks whose room is known. Other queues are counted again. */
const knownMax = 10_000;

/** Number of deliveries to add to the queues of a webhook. */
export interface Growth {
  readonly webhookId: string;
  readonly added: number;
}

/**
 * Limits the number of unsettled deliveries per webhook. Counts a queue once per `queue_full_step` new deliveries,
 * because counting a long queue takes milliseconds. Each further worker may exceed the limit by one step.
 */
export function createQueueBound(limits: { readonly queued_max: number; readonly queue_full_step: number } = settings) {
  const { queued_max: max, queue_full_step: step } = limits;
  /** Number of deliveries that this process may add before it counts the queue again. */
  const known = new LRUCache<string, number>({ max: knownMax });
  const roomOf = (webhookId: string) => known.get(webhookId) ?? 0;
  return {
    hasRoom: ({ webhookId, added }: Growth): boolean => roomOf(webhookId) >= added,
    /** Called after the commit, because a transaction that is rolled back uses no room. */
    use: ({ webhookId, added }: Growth): void => void known.set(webhookId, roomOf(webhookId) - added),
    /**
     * Makes room for new deliveries, in a transaction that locks no other webhook. Returns the number of the webhook's
     * oldest deliveries that failed.
     */
    async makeRoom(store: Store, accountId: string, growth: Growth, nowMs: number): Promise<number> {
      const { webhookId, added } = growth;
      const { failed, left } = await store.transact(async (scopeOf) => {
        await createWebhookTable(scopeOf(accountId)).lock([webhookId]);
        const deliveries = createDeliveryTable(scopeOf(accountId));
        const excess = (await deliveries.countUnsettled(webhookId, max + step)) + added - max;
        const failing = excess > 0 ? Math.max(excess, step) : 0;
        const failed = failing > 0 ? await deliveries.failOldest(webhookId, failing, 'queue_full', nowMs) : 0;
        return { failed, left: Math.min(step, failed - excess) };
      });
      // Also without room for them, because deliveries in flight do not fail.
      known.set(webhookId, added + Math.max(0, left));
      return failed;
    },
  };
}

export type QueueBound = ReturnType<typeof createQueueBound>;

/**
 * Returns a function that adds a delivery to its queue and returns the status of the delivery. The caller must hold the
 * exclusive locks of the webhooks.
 */
export async function findBusyQueues(
  scope: WriteScope,
  queues: readonly QueueId[],
): Promise<(queue: QueueId) => 'queued' | 'due'> {
  const busy = new Set((await createDeliveryTable(scope).busyQueues(queues)).map(toQueueKey));
  return (queue) => {
    const key = toQueueKey(queue);
    if (busy.has(key)) return 'queued';
    busy.add(key);
    return 'due';
  };
}

/** The last time that a date can have, in epoch ms. Any time minus this one is negative. */
const lastTimeMs = 8.64e15;

/**
 * Returns failed deliveries as ordered retries, oldest event first. The first one of an idle queue is due immediately,
 * later ones wait behind it. The caller must hold the exclusive locks of their webhooks, which guard the queues.
 */
export async function toOrderedRetries(
  scope: WriteScope,
  failed: readonly Delivery[],
  nowMs: number,
): Promise<Delivery[]> {
  const takePlace = await findBusyQueues(scope, failed);
  const lastSeqs = new Map<string, number>();
  return [...failed].sort(oldestEventFirst).map((delivery) => {
    const queue = toQueueKey(delivery);
    const status = takePlace(delivery);
    // Depends on the event alone, so that the retries of several requests mix in the order of their events.
    const ofEvent = delivery.eventAtMs - lastTimeMs;
    const seq = Math.max(ofEvent, (lastSeqs.get(queue) ?? -Infinity) + 1);
    lastSeqs.set(queue, seq);
    return { ...delivery, seq, status, reason: null, attempts: [], dueAtMs: nowMs, owner: null, settledAtMs: null };
  });
}

/** Compares by the event. Events of the same millisecond keep the order of their queue. */
function oldestEventFirst(a: Delivery, b: Delivery): number {
  return a.eventAtMs - b.eventAtMs || (a.seq ?? 0) - (b.seq ?? 0);
}
