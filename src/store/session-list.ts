import type { Knex } from 'knex';
import type { Names, SomeSessions } from '../contract/whose.js';
import type { Session } from '../../packages/score/rows/session.js';
import { startAfter } from './columns.js';
import type { ReadScope } from './scope.js';
import { readSession, type SessionRow } from './sessions.js';

/** The last session of the previous page. */
export interface SessionCursor {
  readonly startedAtMs: number;
  readonly incarnation: string;
}

export interface SessionFilter {
  /** A person, or nobody: all sessions of the account. */
  readonly names: Pick<Names, 'subject_id'>;
  readonly after?: SessionCursor | undefined;
}

export interface ListedSession extends SessionCursor {
  readonly sessionId: string;
  readonly session: Session;
}

const columns = ['session_id', 'incarnation', 'subject_id', 'body', 'started_at_ms'] as const;

/**
 * Returns at most `max` sessions of one account, latest start first. Sorts by start, not by newest reading, so that a
 * session keeps its place when it gets a reading while a client reads the pages.
 */
export async function listSessions(
  { knex, accountId }: ReadScope,
  { names, after }: SessionFilter,
  max: number,
): Promise<ListedSession[]> {
  const query = knex('sessions')
    .select(...columns)
    .where({ account_id: accountId, ...names })
    .whereNotNull('body');
  const rows: Array<SessionRow & { readonly started_at_ms: number }> = await selectNewestSessions(query, after).limit(
    max,
  );
  return rows.flatMap((row) => {
    const session = readSession(row);
    if (!session) return [];
    return [{ sessionId: row.session_id, incarnation: row.incarnation, startedAtMs: row.started_at_ms, session }];
  });
}

/** Orders a query of sessions, latest start first, and selects those after the cursor. */
export function selectNewestSessions(query: Knex.QueryBuilder, after: SessionCursor | undefined): Knex.QueryBuilder {
  return startAfter(query, 'desc', { started_at_ms: after?.startedAtMs, incarnation: after?.incarnation });
}

/** Returns a condition of SQL that chooses the sessions of an account, and its bindings. It begins with a column of `sessions`. */
export function chooseSessions({ subjectId }: SomeSessions): [sql: string, bindings: string[]] {
  return ['subject_id = ?', [subjectId]];
}
