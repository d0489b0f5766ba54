import type { Knex } from 'knex';
import type { Session } from '../domain/session.js';

interface SessionRow {
  readonly session_id: string;
  readonly subject_id: string | null;
  readonly body: string | null;
}

/** One account's sessions. */
export function sessionTable(knex: Knex, accountId: string) {
  const mine = () => knex('sessions').where({ account_id: accountId });

  async function selectLocked(sessionIds: readonly string[]): Promise<SessionRow[]> {
    return mine()
      .select('session_id', 'subject_id', 'body')
      .whereIn('session_id', sessionIds)
      .orderBy('session_id')
      .forUpdate();
  }

  return {
    async find(sessionId: string): Promise<Session | undefined> {
      const row = await mine().select('subject_id', 'body').where({ session_id: sessionId }).first();
      return row && toSession(row);
    },

    /**
     * Locks the named sessions until the transaction ends, new ones included: a row without body is laid for each, so
     * that of two processes that see a new session at once the second waits for the first and then reads its outcome.
     */
    async lock(sessionIds: readonly string[], nowMs: number): Promise<Map<string, Session | undefined>> {
      const sorted = [...sessionIds].sort();
      const known = await selectLocked(sorted);
      const missing = sorted.filter((id) => !known.some((row) => row.session_id === id));
      if (missing.length > 0) {
        const blank = { account_id: accountId, subject_id: null, touched_at_ms: nowMs, body: null };
        await knex('sessions')
          .insert(missing.map((session_id) => ({ ...blank, session_id })))
          .onConflict(['account_id', 'session_id'])
          .ignore();
        known.push(...(await selectLocked(missing)));
      }
      return new Map(known.map((row) => [row.session_id, toSession(row)]));
    },

    async save(sessions: ReadonlyMap<string, Session>, nowMs: number): Promise<void> {
      const rows = [...sessions].map(([session_id, { subjectId, ...body }]) => ({
        account_id: accountId,
        session_id,
        subject_id: subjectId ?? null,
        touched_at_ms: nowMs,
        body: JSON.stringify(body),
      }));
      if (rows.length > 0) await knex('sessions').insert(rows).onConflict(['account_id', 'session_id']).merge();
    },
  };
}

/** Deletes at most `batch` sessions that no reading has touched since `beforeMs`; returns how many. */
export async function purgeSessions(knex: Knex, beforeMs: number, batch: number): Promise<number> {
  const idle = await knex('sessions')
    .select('account_id', 'session_id')
    .where('touched_at_ms', '<', beforeMs)
    .orderBy('touched_at_ms')
    .limit(batch);
  if (idle.length === 0) return 0;
  // Asked again in the delete: a session may have been touched since it was listed.
  return knex('sessions')
    .where('touched_at_ms', '<', beforeMs)
    .where((any) => idle.forEach((key) => void any.orWhere(key)))
    .delete();
}

function toSession(row: Pick<SessionRow, 'subject_id' | 'body'>): Session | undefined {
  if (row.body === null) return undefined;
  const body = JSON.parse(row.body) as Omit<Session, 'subjectId'>;
  return row.subject_id === null ? body : { ...body, subjectId: row.subject_id };
}
