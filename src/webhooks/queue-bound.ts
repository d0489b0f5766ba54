import { deliveryTable } from '../store/deliveries.js';
import { LRUCache } from 'lru-cache';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { WriteScope } from '../store/scope.js';

/** Maximum number of webhooks whose room is known. Other queues are counted again. */
const knownMax = 10_000;

/** The result of making room in the queue of a webhook. */
export interface Room {
  readonly webhookId: string;
  /** Number of its oldest deliveries that failed. */
  readonly failed: number;
  /** Number of deliveries that this process may add before it counts the queue again. */
  readonly left: number;
}

/**
 * Limits the number of unsettled deliveries per webhook. Counts a queue once per `queue_full_step` new deliveries,
 * because counting a long queue takes milliseconds. Each further worker may exceed the limit by one step.
 */
export function createQueueBound(limits: { readonly queued_max: number; readonly queue_full_step: number } = settings) {
  const { queued_max: max, queue_full_step: step } = limits;
  const known = new LRUCache<string, number>({ max: knownMax });
  return {
    /** Makes room for new deliveries. The caller must hold the exclusive lock of the webhook. */
    async makeRoom(scope: WriteScope, webhookId: string, added: number, nowMs: number): Promise<Room> {
      const left = (known.get(webhookId) ?? 0) - added;
      if (left >= 0) return { webhookId, failed: 0, left };
      const deliveries = deliveryTable(scope);
      const queued = await deliveries.countUnsettled(webhookId, max + step);
      const excess = queued + added - max;
      const failed =
        excess > 0 ? await deliveries.failOldest(webhookId, Math.max(excess, step), 'queue_full', nowMs) : 0;
      return { webhookId, failed, left: Math.min(step, failed - excess) };
    },
    /** Stores the result. Called after the commit, because a transaction that is rolled back makes no room. */
    remember: ({ webhookId, left }: Room): void => void known.set(webhookId, left),
  };
}

export type QueueBound = ReturnType<typeof createQueueBound>;
