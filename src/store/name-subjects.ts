import type { ReadScope } from './scope.js';

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
export async function nameSubjects(
  { knex: transaction, accountId }: ReadScope,
  bound: readonly BoundSession[],
): Promise<void> {
  if (bound.length === 0) return;
  const mine = (table: string) => transaction(table).where({ account_id: accountId });
  const ids = bound.map(({ sessionId }) => sessionId);
  const watched = new Set<string>(await mine('webhooks').whereIn('session_id', ids).forUpdate().pluck('session_id'));
  for (const { sessionId: session_id, subjectId: subject_id, isNew } of bound) {
    if (watched.has(session_id)) await mine('webhooks').where({ session_id }).update({ subject_id });
    if (isNew) continue;
    for (const table of ['outbox', 'deliveries'])
      await mine(table).where({ session_id }).whereNull('subject_id').update({ subject_id });
  }
}

/** Binds a session to a subject, with its webhooks, events and deliveries. */
export async function nameSession(scope: ReadScope, bound: BoundSession): Promise<void> {
  const { knex: transaction, accountId } = scope;
  const { sessionId: session_id, incarnation, subjectId: subject_id } = bound;
  await transaction('sessions').where({ account_id: accountId, session_id, incarnation }).update({ subject_id });
  await nameSubjects(scope, [bound]);
}
