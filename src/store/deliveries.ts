import type { Schema } from '../contract/contract.js';
import { unionAll } from './columns.js';
import { type Delivery, lockDeliveries, toRow } from './delivery-row.js';
import { type Conflict, insertRows } from './rows.js';
import type { ReadScope } from './scope.js';

/** Queue of the deliveries of one session to one webhook. */
export type QueueId = Pick<Delivery, 'webhookId' | 'sessionId'>;

/** Returns an unambiguous key, because ids contain no spaces. */
export function toQueueKey({ webhookId, sessionId }: QueueId): string {
  return `${webhookId} ${sessionId}`;
}

/** Columns that change when a delivery is settled or retried. */
const changedColumns = ['seq', 'receiver', 'status', 'reason', 'attempts', 'due_at_ms', 'owner', 'settled_at_ms'];

/**
 * Deliveries of one account. The pending deliveries of a webhook form queues, one per session. Whoever changes them
 * holds the lock of the webhook.
 */
export function createDeliveryTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('deliveries').where({ account_id: accountId });
  const write = (deliveries: readonly Delivery[], conflict?: Conflict) => {
    const rows = deliveries.map((delivery) => ({ account_id: accountId, ...toRow(delivery) }));
    return insertRows(knex, 'deliveries', rows, conflict);
  };
  return {
    insert: (deliveries: readonly Delivery[]) => write(deliveries),

    /** Locks and returns the deliveries that still belong to the claim that took them. */
    async lockHeld(claimed: ReadonlyArray<Pick<Delivery, 'deliveryId' | 'owner'>>): Promise<Map<string, Delivery>> {
      const ids = claimed.map(({ deliveryId }) => deliveryId);
      const locked = await lockDeliveries(knex, accountId, ids, 'due');
      const isHeld = ({ deliveryId, owner }: Delivery) =>
        claimed.some((it) => it.deliveryId === deliveryId && it.owner === owner);
      return new Map(locked.filter(isHeld).map((delivery) => [delivery.deliveryId, delivery]));
    },

    /**
     * Updates deliveries. The caller must have locked them, because the statement would insert a deleted delivery
     * again.
     */
    updateHeld: (deliveries: readonly Delivery[]) =>
      write(deliveries, { key: ['account_id', 'delivery_id'], merged: changedColumns }),

    async remove(deliveryIds: readonly string[]): Promise<void> {
      if (deliveryIds.length === 0) return;
      await mine().whereIn('delivery_id', deliveryIds).delete();
    },

    /**
     * Returns the queues that are not empty. May also return others of their sessions. Reads only the due delivery, which
     * every queue has that is not empty, because a queue may be long.
     */
    async busyQueues(queues: readonly QueueId[]): Promise<QueueId[]> {
      if (queues.length === 0) return [];
      return mine()
        .distinct({ webhookId: 'webhook_id', sessionId: 'session_id' })
        .whereIn('webhook_id', [...new Set(queues.map(({ webhookId }) => webhookId))])
        .whereIn('session_id', [...new Set(queues.map(({ sessionId }) => sessionId))])
        .where({ status: 'due' })
        .whereNotNull('seq');
    },

    /** Returns the queues of those of the deliveries that are due. */
    async queuesOfDue(ids: readonly string[]): Promise<QueueId[]> {
      const due = mine().whereIn('delivery_id', ids).where({ status: 'due' });
      return due.select({ webhookId: 'webhook_id', sessionId: 'session_id' });
    },

    /** Makes the first queued delivery of each queue due. */
    async promoteNext(lines: readonly QueueId[], nowMs: number): Promise<void> {
      if (lines.length === 0) return;
      const firsts = lines.map(({ webhookId, sessionId }) =>
        mine()
          .select('delivery_id')
          .where({ webhook_id: webhookId, session_id: sessionId, status: 'queued' })
          .orderBy('seq')
          .limit(1),
      );
      const next: Array<{ delivery_id: string }> = await unionAll(knex, firsts);
      if (next.length === 0) return;
      const ids = next.map(({ delivery_id }) => delivery_id);
      await mine().whereIn('delivery_id', ids).update({ status: 'due', due_at_ms: nowMs });
    },

    /** Makes the first queued delivery due in those queues that have no due delivery. */
    async promoteIdle(lines: readonly QueueId[], nowMs: number): Promise<void> {
      const due = new Set((await this.busyQueues(lines)).map(toQueueKey));
      const idle = new Map(lines.map((line) => [toQueueKey(line), line] as const).filter(([key]) => !due.has(key)));
      await this.promoteNext([...idle.values()], nowMs);
    },

    /** Returns the number of unsettled deliveries of the webhook, up to `max`. */
    async countUnsettled(webhookId: string, max: number): Promise<number> {
      const unsettled = mine().where({ webhook_id: webhookId }).whereIn('status', ['queued', 'due']);
      const counted = knex.count('*').from(unsettled.select('delivery_id').limit(max).as('counted'));
      const row: { count: number } = await knex.first({ count: counted });
      return Number(row.count);
    },

    /**
     * Marks the `count` oldest unsettled deliveries of the webhook as failed, except deliveries in flight. With the reason
     * `disabled`, also except manual retries out of order. Returns their number.
     */
    async failOldest(
      webhookId: string,
      count: number,
      reason: Schema<'FailureReason'>,
      nowMs: number,
    ): Promise<number> {
      const findOldest = (status: string) =>
        mine()
          .select('delivery_id', 'event_at_ms')
          .where({ webhook_id: webhookId, status })
          .whereNull('owner')
          .where((query) => void (reason === 'disabled' && query.whereNotNull('seq')))
          .orderBy(['event_at_ms', 'delivery_id'])
          .limit(count);
      const found: Array<{ delivery_id: string; event_at_ms: number }> = await unionAll(
        knex,
        ['queued', 'due'].map(findOldest),
      );
      const oldest = found.sort((a, b) => a.event_at_ms - b.event_at_ms).slice(0, count);
      if (oldest.length === 0) return 0;
      const ids = oldest.map(({ delivery_id }) => delivery_id);
      const locked: Array<{ delivery_id: string; session_id: string }> = await mine()
        .select('delivery_id', 'session_id')
        .whereIn('delivery_id', ids)
        .whereIn('status', ['queued', 'due'])
        .whereNull('owner')
        .orderBy('delivery_id')
        .forUpdate();
      const lockedIds = locked.map(({ delivery_id }) => delivery_id);
      if (lockedIds.length === 0) return 0;
      await mine().whereIn('delivery_id', lockedIds).update({ status: 'failed', reason, settled_at_ms: nowMs });
      const lines = locked.map(({ session_id }) => ({ webhookId, sessionId: session_id }));
      await this.promoteIdle(lines, nowMs);
      return locked.length;
    },

    /** Makes deliveries of the webhook that wait for a retry due at `latestMs`, unless they are due earlier. Returns their number. */
    async hastenRetries(webhookId: string, latestMs: number): Promise<number> {
      return mine()
        .where({ webhook_id: webhookId, status: 'due' })
        .whereNull('owner')
        .where('due_at_ms', '>', latestMs)
        .update({ due_at_ms: latestMs });
    },

    /** Deletes about `max` deliveries of a webhook. Returns true if deliveries remain. */
    async removeSome(webhookId: string, max: number): Promise<boolean> {
      const ids = await mine().select('delivery_id').where({ webhook_id: webhookId }).limit(max);
      await this.remove(ids.map(({ delivery_id }) => delivery_id));
      return ids.length === max;
    },
  };
}
