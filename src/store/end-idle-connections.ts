import type { Knex } from 'knex';
import { endsIdleTransactions } from './server-facts.js';

/** How long a transaction may wait for the next statement of its process, s. */
export const idleSecondsMax = 5;

interface Connection {
  readonly id: number;
}

/**
 * Ends the connections that wait for a process for `idleSecondsMax`. Called when a transaction has timed out waiting
 * for a lock. One of these connections may hold the lock for a process that is frozen or has lost its network. Other
 * processes connect again. MySQL has no timeout for idle transactions, but a user may end connections of the same user.
 * A user without further privileges can neither see which connection holds a lock nor which one has an open
 * transaction.
 */
export async function endIdleConnections(knex: Knex, error: unknown): Promise<void> {
  if ((error as { code?: string }).code !== 'ER_LOCK_WAIT_TIMEOUT' || endsIdleTransactions(knex)) return;
  const [idle] = (await knex.raw(
    `select id as id from information_schema.processlist
     where user = substring_index(user(), '@', 1) and db = database() and command = 'Sleep' and time >= ?`,
    [idleSecondsMax],
  )) as [Connection[]];
  // The connection may have ended meanwhile.
  for (const { id } of idle) await knex.raw('kill ?', [id]).catch(() => undefined);
}
