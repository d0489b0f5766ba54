import type { Knex } from 'knex';
import { deliveryTable } from './deliveries.js';
import { outboxTable } from './outbox.js';

/** A life of a session whose readings are to be erased. */
export interface Erasure {
  readonly account_id: string;
  readonly session_id: string;
  readonly incarnation: string;
}

const insertMax = 500;

/**
 * Lays the tombstones of a subject's sessions and takes the sessions away; from the commit on nothing of them is seen.
 * Returns them.
 */
export async function burySessions(transaction: Knex, accountId: string, subjectId: string): Promise<Erasure[]> {
  const mine = () => transaction('sessions').where({ account_id: accountId, subject_id: subjectId });
  const sessions: Erasure[] = await mine().select('account_id', 'session_id', 'incarnation').forUpdate();
  for (let from = 0; from < sessions.length; from += insertMax)
    await buryBatch(transaction, accountId, sessions.slice(from, from + insertMax));
  await mine().delete();
  return sessions;
}

/** The events first: whoever is making deliveries of them finishes before, and then the deliveries are seen here. */
async function buryBatch(transaction: Knex, accountId: string, sessions: readonly Erasure[]): Promise<void> {
  const ids = sessions.map(({ session_id }) => session_id);
  await transaction('erasures').insert([...sessions]);
  await outboxTable(transaction, accountId).removeSessions(ids);
  await deliveryTable(transaction, accountId).removeSessions(ids);
}

/** Some of the erasures that are not done yet, whoever began them. */
export async function findErasures(knex: Knex, max: number): Promise<Erasure[]> {
  return knex('erasures').select('account_id', 'session_id', 'incarnation').limit(max);
}

/** Erases about `batch` of the readings of such a session; once none is left, the tombstone. True when it is done. */
export async function eraseReadings(knex: Knex, erasure: Erasure, batch: number): Promise<boolean> {
  const readings = () => knex('readings').where({ ...erasure });
  const last = await readings()
    .select('timestamp_ms')
    .orderBy('timestamp_ms')
    .offset(batch - 1)
    .first();
  if (last) {
    await readings().where('timestamp_ms', '<=', last.timestamp_ms).delete();
    return false;
  }
  await readings().delete();
  await knex('erasures')
    .where({ ...erasure })
    .delete();
  return true;
}
