import type { Knex } from 'knex';
import type { Session } from '../domain/session.js';
import { lockRows } from './lock-rows.js';

interface SessionRow {
  readonly session_id: string;
  readonly subject_id: string | null;
  readonly body: string | null;
}

/** One account's sessions. */
export function sessionTable(knex: Knex, accountId: string) {
  const mine = () => knex('sessions').where({ account_id: accountId });

  return {
    async find(sessionId: string): Promise<Session | undefined> {
      const row = await mine().select('subject_id', 'body').where({ session_id: sessionId }).first();
      return row && toSession(row);
    },

    /** Locks the named sessions until the transaction ends; a new one is undefined. */
    async lock(sessionIds: readonly string[], nowMs: number): Promise<Map<string, Session | undefined>> {
      const rows = await lockRows<SessionRow>(knex, accountId, sessionIds, {
        table: 'sessions',
        idColumn: 'session_id',
        columns: ['session_id', 'subject_id', 'body'],
        blank: { subject_id: null, touched_at_ms: nowMs, body: null },
      });
      return new Map(rows.map((row) => [row.session_id, toSession(row)]));
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
