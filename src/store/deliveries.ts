import type { Knex } from 'knex';
import type { Schema } from '../contract.js';

/**
 * due: may be sent at `dueAtMs`; queued: waits for those before it in its line, the events of one session for one
 * webhook; delivered and failed: settled.
 */
export type DeliveryStatus = 'queued' | 'due' | 'delivered' | 'failed';

export interface Delivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly sessionId: string;
  /** Its place in the line; null for what stands outside the order. */
  readonly seq: number | null;
  /** Tells receivers apart, 16 hex characters; at most so many attempts run against one at a time. */
  readonly receiver: string;
  readonly status: DeliveryStatus;
  /** Of a failed one. */
  readonly reason: Schema<'FailureReason'> | null;
  /** The bytes that the receiver gets. */
  readonly payload: string;
  /** Of the present schedule, oldest first. */
  readonly attempts: ReadonlyArray<Schema<'DeliveryAttempt'>>;
  /** When it may be claimed; of a claimed one, when its lease ends. Epoch ms. */
  readonly dueAtMs: number;
  /** The claim under which it is being sent. */
  readonly owner: string | null;
  readonly settledAtMs: number | null;
}

/** The events of one session for one webhook, in their order. */
export type Line = Pick<Delivery, 'webhookId' | 'sessionId'>;

/** Where a page of failed deliveries goes on: after this one. */
export interface FailedCursor {
  readonly settledAtMs: number;
  readonly deliveryId: string;
}

export interface FailedFilter {
  readonly webhookId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly after?: FailedCursor | undefined;
}

interface DeliveryRow extends Omit<Delivery, 'attempts'> {
  readonly attempts: string;
}

export const deliveryColumns = {
  deliveryId: 'delivery_id',
  webhookId: 'webhook_id',
  sessionId: 'session_id',
  seq: 'seq',
  receiver: 'receiver',
  status: 'status',
  reason: 'reason',
  payload: 'payload',
  attempts: 'attempts',
  dueAtMs: 'due_at_ms',
  owner: 'owner',
  settledAtMs: 'settled_at_ms',
};
/** What changes when a delivery is settled. */
const settledColumns = ['status', 'reason', 'attempts', 'due_at_ms', 'owner', 'settled_at_ms'];
/** Bounds of one statement. */
const insertMax = 500;

/** One account's deliveries. Their lines are guarded by the lock on their webhook. */
export function deliveryTable(knex: Knex, accountId: string) {
  const mine = () => knex('deliveries').where({ account_id: accountId });

  return {
    async insert(deliveries: readonly Delivery[]): Promise<void> {
      const rows = deliveries.map((delivery) => ({ account_id: accountId, ...toRow(delivery) }));
      for (let from = 0; from < rows.length; from += insertMax)
        await knex('deliveries').insert(rows.slice(from, from + insertMax));
    },

    /** Locks those that are still held by the claim under which they are named here. */
    async lockHeld(claimed: ReadonlyArray<Pick<Delivery, 'deliveryId' | 'owner'>>): Promise<Map<string, Delivery>> {
      const ids = claimed.map(({ deliveryId }) => deliveryId);
      const rows: DeliveryRow[] = await mine()
        .select(deliveryColumns)
        .whereIn('delivery_id', ids)
        .where({ status: 'due' })
        .orderBy('delivery_id')
        .forUpdate();
      const isHeld = (row: DeliveryRow) =>
        claimed.some((it) => it.deliveryId === row.deliveryId && it.owner === row.owner);
      return new Map(rows.filter(isHeld).map((row) => [row.deliveryId, toDelivery(row)]));
    },

    /** Only of those that are locked: one that is gone would come back. */
    async updateHeld(deliveries: readonly Delivery[]): Promise<void> {
      if (deliveries.length === 0) return;
      const rows = deliveries.map((delivery) => ({ account_id: accountId, ...toRow(delivery) }));
      await knex('deliveries').insert(rows).onConflict(['account_id', 'delivery_id']).merge(settledColumns);
    },

    async remove(deliveryIds: readonly string[]): Promise<void> {
      if (deliveryIds.length === 0) return;
      await mine().whereIn('delivery_id', deliveryIds).delete();
    },

    /** The lines of these sessions to the webhook in which something waits or is being sent. */
    async busyLines(webhookId: string, sessionIds: readonly string[]): Promise<Set<string>> {
      const rows: Array<{ session_id: string }> = await mine()
        .distinct('session_id')
        .where({ webhook_id: webhookId })
        .whereIn('session_id', sessionIds)
        .whereIn('status', ['queued', 'due'])
        .whereNotNull('seq');
      return new Set(rows.map((row) => row.session_id));
    },

    /** Makes the first that waits in each of these lines due. */
    async promoteNext(lines: readonly Line[], nowMs: number): Promise<void> {
      const [first, ...others] = lines.map(({ webhookId, sessionId }) =>
        mine()
          .select('delivery_id')
          .where({ webhook_id: webhookId, session_id: sessionId, status: 'queued' })
          .orderBy('seq')
          .limit(1)
          .as('next'),
      );
      if (!first) return;
      const from = (next: Knex.QueryBuilder) => knex.select('delivery_id').from(next);
      const next: Array<{ delivery_id: string }> = await from(first).unionAll(others.map(from));
      if (next.length === 0) return;
      const ids = next.map(({ delivery_id }) => delivery_id);
      await mine().whereIn('delivery_id', ids).update({ status: 'due', due_at_ms: nowMs });
    },

    /** Fails whatever waits for the webhook; what is being sent settles by itself. */
    async failWaiting(webhookId: string, reason: Schema<'FailureReason'>, nowMs: number): Promise<void> {
      await mine()
        .where({ webhook_id: webhookId })
        .whereIn('status', ['queued', 'due'])
        .whereNull('owner')
        .whereNotNull('seq')
        .update({ status: 'failed', reason, settled_at_ms: nowMs });
    },

    /** Failed deliveries, newest first. */
    async failedPage({ webhookId, sessionId, sinceMs, after }: FailedFilter, max: number): Promise<Delivery[]> {
      const query = mine().select(deliveryColumns).where({ status: 'failed' });
      if (webhookId !== undefined) query.where({ webhook_id: webhookId });
      if (sessionId !== undefined) query.where({ session_id: sessionId });
      if (sinceMs !== undefined) query.where('settled_at_ms', '>=', sinceMs);
      if (after) onlyAfter(query, after);
      const order = ['settled_at_ms', 'delivery_id'].map((column) => ({ column, order: 'desc' }) as const);
      const rows: DeliveryRow[] = await query.orderBy(order).limit(max);
      return rows.map(toDelivery);
    },

    /** Locks those of the named ones that have failed. */
    async lockFailed(deliveryIds: readonly string[]): Promise<Delivery[]> {
      const rows: DeliveryRow[] = await mine()
        .select(deliveryColumns)
        .whereIn('delivery_id', deliveryIds)
        .where({ status: 'failed' })
        .orderBy('delivery_id')
        .forUpdate();
      return rows.map(toDelivery);
    },

    /** Begins the schedules of failed deliveries anew, at once and outside the order. */
    async requeue(deliveryIds: readonly string[], nowMs: number): Promise<void> {
      if (deliveryIds.length === 0) return;
      const fresh = { status: 'due', due_at_ms: nowMs, seq: null, attempts: '[]' };
      await mine()
        .whereIn('delivery_id', deliveryIds)
        .update({ ...fresh, owner: null, reason: null, settled_at_ms: null });
    },

    async removeSessions(sessionIds: readonly string[]): Promise<void> {
      await mine().whereIn('session_id', sessionIds).delete();
    },

    /** Deletes about `max` deliveries of a webhook; tells whether some are left. */
    async removeSome(webhookId: string, max: number): Promise<boolean> {
      const ids = await mine().select('delivery_id').where({ webhook_id: webhookId }).limit(max);
      await this.remove(ids.map(({ delivery_id }) => delivery_id));
      return ids.length === max;
    },
  };
}

/** Said twice, because only the first is a place in the index at which to begin. */
function onlyAfter(query: Knex.QueryBuilder, { settledAtMs, deliveryId }: FailedCursor): void {
  query
    .where('settled_at_ms', '<=', settledAtMs)
    .where((rest) => void rest.where('settled_at_ms', '<', settledAtMs).orWhere('delivery_id', '<', deliveryId));
}

function toRow(delivery: Delivery): Record<string, unknown> & { delivery_id: string } {
  return {
    delivery_id: delivery.deliveryId,
    webhook_id: delivery.webhookId,
    session_id: delivery.sessionId,
    seq: delivery.seq,
    receiver: delivery.receiver,
    status: delivery.status,
    reason: delivery.reason,
    payload: delivery.payload,
    attempts: JSON.stringify(delivery.attempts),
    due_at_ms: delivery.dueAtMs,
    owner: delivery.owner,
    settled_at_ms: delivery.settledAtMs,
  };
}

export function toDelivery(row: DeliveryRow): Delivery {
  return { ...row, attempts: JSON.parse(row.attempts) };
}
