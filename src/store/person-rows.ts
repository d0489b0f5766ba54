import type { Knex } from 'knex';
import { retry } from './retry.js';
import { changeRows } from './row-codes.js';
import type { ReadScope } from './scope.js';
import { findTables } from './tables/index.js';

/** A session that was just bound to a subject. */
export interface BoundSession {
  readonly sessionId: string;
  readonly incarnation: string;
  readonly subjectId: string;
  /** True if the session is new. A new session has no events or deliveries yet. */
  readonly isNew: boolean;
}

/**
 * Adds the subject to the webhooks, events and deliveries of these sessions, so that an erasure finds them after the
 * sessions have expired. Locks the rows in the same order as an erasure.
 */
async function nameSubjects(
  { knex: transaction, accountId }: ReadScope,
  bound: readonly BoundSession[],
): Promise<void> {
  if (bound.length === 0) return;
  const mine = (table: string) => transaction(table).where({ account_id: accountId });
  const ids = bound.map(({ sessionId }) => sessionId);
  const watched = new Set<string>(await mine('webhooks').whereIn('session_id', ids).pluck('session_id'));
  for (const table of ['outbox', 'webhooks', 'deliveries'])
    for (const { sessionId: session_id, subjectId: subject_id, isNew } of bound) {
      if (table === 'webhooks' ? !watched.has(session_id) : isNew) continue;
      const rows = mine(table).where({ session_id });
      await (table === 'webhooks' ? rows : rows.whereNull('subject_id')).update({ subject_id });
    }
}

/** Binds a session to a subject, with all rows that belong to it. */
export async function bindSession(scope: ReadScope, bound: BoundSession): Promise<void> {
  const { knex: transaction, accountId } = scope;
  const { sessionId: session_id, incarnation, subjectId: subject_id } = bound;
  await transaction('sessions').where({ account_id: accountId, session_id, incarnation }).update({ subject_id });
  await bindRows(scope, [bound], true);
}

const boundTables = findTables(({ bindsBy }) => bindsBy !== undefined);

/**
 * Adds the subject to all rows of sessions that were just bound to it. `hasWebhooks` is false if the account never had a
 * webhook.
 */
export async function bindRows(scope: ReadScope, bound: readonly BoundSession[], hasWebhooks: boolean): Promise<void> {
  const { knex, accountId } = scope;
  for (const { name, bindsBy = [] } of boundTables)
    for (const { isNew, sessionId: session_id, incarnation, subjectId } of bound) {
      if (isNew) continue;
      const ids = { session_id, incarnation };
      const key = Object.fromEntries(bindsBy.map((column) => [column, ids[column]]));
      const mine = knex(name).where({ account_id: accountId, ...key });
      await mine.whereNull('subject_id').update({ subject_id: subjectId });
    }
  if (hasWebhooks) await nameSubjects(scope, bound);
}

const erasedTables = findTables(({ erasesBySubject }) => erasesBySubject !== undefined);

/** The tables of which a person may have so many rows that an erasure deletes them in batches first, with a key. */
export const batchedTables = erasedTables.flatMap(({ name, erasesBySubject }) =>
  erasesBySubject?.batchKey === undefined ? [] : { table: name, key: erasesBySubject.batchKey },
);

/** Deletes at most `batch` rows of a subject. Returns their number. */
export function eraseSomeRows(
  { knex, accountId }: ReadScope,
  { table, key }: (typeof batchedTables)[number],
  subjectId: string,
  batch: number,
): Promise<number> {
  return retry(async () => {
    const mine = knex(table).where({ account_id: accountId, subject_id: subjectId });
    const keys: unknown[] = await mine.clone().limit(batch).pluck(key);
    return keys.length === 0 ? 0 : mine.whereIn(key, keys as string[]).delete();
  });
}

/** Deletes all rows of a subject, except those of its sessions, webhooks and accesses. Returns their number by table. */
export async function eraseRows({ knex, accountId }: ReadScope, subjectId: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const mine = (rows: Knex.QueryBuilder) => rows.where({ account_id: accountId, subject_id: subjectId });
  for (const { name } of erasedTables)
    counts.set(name, await changeRows(knex, name, mine, (on) => mine(on(name)).delete()));
  return counts;
}
