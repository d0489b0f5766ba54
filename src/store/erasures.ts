import type { Knex } from 'knex';
import { createDeliveryTable } from './deliveries.js';
import { deleteSession } from './expired-readings.js';
import { createOutboxTable, type OutboxEvent } from './outbox.js';
import { retry } from './retry.js';
import { chunksOf } from './rows.js';
import type { ReadScope } from './scope.js';
import { createWebhookTable } from './webhooks.js';

/** An incarnation of a session whose readings must be erased. */
export interface Erasure {
  readonly account_id: string;
  readonly session_id: string;
  readonly incarnation: string;
}

/**
 * Deletes the subject's sessions, including expired sessions, with their webhooks, events, deliveries and stored
 * responses. Writes a tombstone for the readings of each session. After the commit, no request returns any of this
 * data.
 *
 * Returns the sessions, and the number of the other rows.
 */
export async function eraseSessions(scope: ReadScope, subjectId: string, nowMs: number) {
  const { knex: transaction, accountId } = scope;
  const mine = () => transaction('sessions').where({ account_id: accountId, subject_id: subjectId });
  const sessions: Erasure[] = await mine().select('account_id', 'session_id', 'incarnation').forUpdate();
  const erase = (select: (query: Knex.QueryBuilder) => Knex.QueryBuilder) => eraseNotifications(scope, select, nowMs);
  let notifications = await erase((query) => query.where({ subject_id: subjectId }));
  for (const batch of chunksOf(sessions)) {
    const ids = batch.map(({ session_id }) => session_id);
    await transaction('erasures').insert(batch);
    // Includes only rows without a subject, because an earlier session with the same id may have belonged to another
    // person.
    notifications += await erase((query) => query.whereNull('subject_id').whereIn('session_id', ids));
  }
  await mine().delete();
  return { sessions, notifications };
}

/**
 * Deletes the events, then the webhooks, then the deliveries. Returns the number of deleted rows.
 *
 * A worker that expands events holds their locks. Deleting the events first waits for the commit of that worker, so the
 * deliveries that it inserted are found.
 */
async function eraseNotifications(
  scope: ReadScope,
  select: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
  nowMs: number,
): Promise<number> {
  const { knex: transaction, accountId } = scope;
  const mine = (table: string) => transaction(table).where({ account_id: accountId });
  // By their keys, as a worker does: via another index, the locks would be taken in another order.
  const events: Array<Pick<OutboxEvent, 'sessionId' | 'seq'>> = await select(mine('outbox')).select({
    sessionId: 'session_id',
    seq: 'seq',
  });
  for (const batch of chunksOf(events)) await createOutboxTable(scope).remove(batch);
  const webhooks: string[] = await select(mine('webhooks')).pluck('webhook_id');
  if (webhooks.length > 0) {
    await mine('webhooks').whereIn('webhook_id', webhooks).delete();
    await mine('deliveries').whereIn('webhook_id', webhooks).delete();
  }
  const deliveries: FoundDelivery[] = await select(mine('deliveries')).select('delivery_id', 'webhook_id');
  for (const batch of chunksOf(deliveries)) await eraseDeliveries(scope, batch, nowMs);
  const keys = await select(mine('idempotency_keys')).delete();
  return events.length + webhooks.length + deliveries.length + keys;
}

type FoundDelivery = Readonly<Record<'delivery_id' | 'webhook_id', string>>;

/**
 * Deletes deliveries. Deliveries of another person to the same session id are then due: without this, they would wait
 * forever for a deleted delivery.
 */
async function eraseDeliveries(scope: ReadScope, found: readonly FoundDelivery[], nowMs: number): Promise<void> {
  await createWebhookTable(scope).lock([...new Set(found.map((it) => it.webhook_id))]);
  const ids = found.map(({ delivery_id }) => delivery_id);
  const deliveries = createDeliveryTable(scope);
  const due = await deliveries.queuesOfDue(ids);
  await deliveries.remove(ids);
  await deliveries.promoteIdle(due, nowMs);
}

/**
 * Deletes about `batch` deliveries of the subject and of the webhooks for its sessions. Returns the number of deleted
 * deliveries, 0 when none remain.
 *
 * Called before `eraseSessions`. The transaction of `eraseSessions` then deletes few rows and blocks others only
 * briefly.
 */
export async function eraseSomeDeliveries(
  scope: ReadScope,
  subjectId: string,
  batch: number,
  nowMs: number,
): Promise<number> {
  const { knex: transaction, accountId } = scope;
  const mine = () => transaction('deliveries').where({ account_id: accountId });
  const webhooks = await createWebhookTable(scope).list();
  const watching = webhooks.filter((it) => it.subjectId === subjectId).map((it) => it.webhookId);
  const first = (query: Knex.QueryBuilder): Promise<FoundDelivery[]> =>
    query.select('delivery_id', 'webhook_id').limit(batch);
  let found = await first(mine().where({ subject_id: subjectId }));
  if (found.length === 0 && watching.length > 0) found = await first(mine().whereIn('webhook_id', watching));
  if (found.length > 0) await eraseDeliveries(scope, found, nowMs);
  return found.length;
}

/** Returns at most `max` unfinished erasures of all processes. */
export async function findErasures(knex: Knex, max: number): Promise<Erasure[]> {
  return knex('erasures').select('account_id', 'session_id', 'incarnation').limit(max);
}

/** Deletes about `batch` readings of the session. When none remain, deletes the tombstone and returns true. */
export function eraseReadings(knex: Knex, erasure: Erasure, batch: number): Promise<boolean> {
  return retry(async () => {
    if (await deleteSession(knex, erasure, batch)) return false;
    await knex('erasures')
      .where({ ...erasure })
      .delete();
    return true;
  });
}
