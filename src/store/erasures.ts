import type { Knex } from 'knex';
import { deleteSession } from './readings.js';

/** An incarnation of a session whose readings must be erased. */
export interface Erasure {
  readonly account_id: string;
  readonly session_id: string;
  readonly incarnation: string;
}

const insertMax = 500;

/** Numbers of rows that `eraseSessions` deleted. */
export interface ErasedSessions {
  readonly sessions: readonly Erasure[];
  /** Number of the subject's webhooks, events, deliveries and stored responses. */
  readonly notifications: number;
}

/**
 * Deletes the subject's sessions, including expired sessions, with their webhooks, events, deliveries and stored
 * responses. Writes a tombstone for the readings of each session. After the commit, no request returns any of this
 * data.
 */
export async function eraseSessions(transaction: Knex, accountId: string, subjectId: string): Promise<ErasedSessions> {
  const mine = () => transaction('sessions').where({ account_id: accountId, subject_id: subjectId });
  const sessions: Erasure[] = await mine().select('account_id', 'session_id', 'incarnation').forUpdate();
  let notifications = await eraseNotifications(transaction, accountId, (query) =>
    query.where({ subject_id: subjectId }),
  );
  for (let from = 0; from < sessions.length; from += insertMax) {
    const batch = sessions.slice(from, from + insertMax);
    const ids = batch.map(({ session_id }) => session_id);
    await transaction('erasures').insert(batch);
    // Includes only rows without a subject, because an earlier session with the same id may have belonged to another
    // person.
    notifications += await eraseNotifications(transaction, accountId, (query) =>
      query.whereNull('subject_id').whereIn('session_id', ids),
    );
  }
  await mine().delete();
  return { sessions, notifications };
}

/**
 * Deletes the webhooks, then the events, then the deliveries. Returns the number of deleted rows.
 *
 * A worker that expands events holds the webhook locks. Deleting the webhooks first waits for the commit of that worker, so
 * the deliveries that it inserted are found.
 */
async function eraseNotifications(
  transaction: Knex,
  accountId: string,
  select: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<number> {
  const mine = (table: string) => transaction(table).where({ account_id: accountId });
  const webhooks: string[] = await select(mine('webhooks')).forUpdate().pluck('webhook_id');
  if (webhooks.length > 0) {
    await mine('webhooks').whereIn('webhook_id', webhooks).delete();
    await mine('deliveries').whereIn('webhook_id', webhooks).delete();
  }
  let others = 0;
  for (const table of ['outbox', 'deliveries', 'idempotency_keys']) others += await select(mine(table)).delete();
  return webhooks.length + others;
}

/**
 * Deletes about `batch` deliveries of the subject and of the webhooks for its sessions. Returns the number of deleted
 * deliveries, 0 when none remain.
 *
 * Called before `eraseSessions`. The transaction of `eraseSessions` then deletes few rows and blocks others only
 * briefly.
 */
export async function eraseSomeDeliveries(
  knex: Knex,
  accountId: string,
  subjectId: string,
  batch: number,
): Promise<number> {
  const mine = (table: string) => knex(table).where({ account_id: accountId });
  const webhooks: string[] = await mine('webhooks').where({ subject_id: subjectId }).pluck('webhook_id');
  const first = (query: Knex.QueryBuilder): Promise<string[]> => query.limit(batch).pluck('delivery_id');
  const ids = await first(mine('deliveries').where({ subject_id: subjectId }));
  if (ids.length === 0 && webhooks.length > 0)
    ids.push(...(await first(mine('deliveries').whereIn('webhook_id', webhooks))));
  if (ids.length > 0) await mine('deliveries').whereIn('delivery_id', ids).delete();
  return ids.length;
}

/** Returns at most `max` unfinished erasures of all processes. */
export async function findErasures(knex: Knex, max: number): Promise<Erasure[]> {
  return knex('erasures').select('account_id', 'session_id', 'incarnation').limit(max);
}

/** Deletes about `batch` readings of the session. When none remain, deletes the tombstone and returns true. */
export async function eraseReadings(knex: Knex, erasure: Erasure, batch: number): Promise<boolean> {
  if (await deleteSession(knex, erasure, batch)) return false;
  await knex('erasures')
    .where({ ...erasure })
    .delete();
  return true;
}
