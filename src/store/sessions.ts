import { randomBytes } from 'node:crypto';
import type { Session } from '../../packages/score/rows/session.js';
import { noVersion } from './row-cache.js';
import { rowFormats } from './row-formats.js';
import { buildFlatInsert, buildLock, lockOrInsertRows, type RowLock, type Statement, type Value } from './rows.js';
import type { ReadScope, WriteScope } from './scope.js';
import { touchStepMs } from './tables/sessions.js';

/** A stored session. */
export interface StoredSession {
  /** Distinguishes this session from earlier sessions with the same id. 12 hex characters. */
  readonly incarnation: string;
  /** Undefined in a placeholder row: the session is locked but has no reading yet. */
  readonly session: Session | undefined;
}

export interface SessionRow {
  readonly session_id: string;
  readonly incarnation: string;
  readonly subject_id: string | null;
  readonly body: string | null;
}

export interface LockedSessionRow {
  readonly session_id: string;
  readonly incarnation: string;
  readonly version: string;
}

const incarnationBytes = 6;

/** Returns the sessions with these ids that have a reading. */
export async function findSessions(
  { knex, accountId }: ReadScope,
  sessionIds: readonly string[],
): Promise<Map<string, Session>> {
  const rows: SessionRow[] = await knex('sessions')
    .select('session_id', 'subject_id', 'body')
    .where({ account_id: accountId })
    .whereIn('session_id', sessionIds);
  return new Map(rows.flatMap((row) => keyed(row.session_id, readSession(row))));
}

/** Reads the sessions of one account. */
export function createSessionReader({ knex, accountId }: ReadScope) {
  const mine = () => knex('sessions').where({ account_id: accountId });

  return {
    /** Returns a session. Undefined if the account has no data for the session. */
    async find(sessionId: string): Promise<{ incarnation: string; session: Session } | undefined> {
      const row: SessionRow | undefined = await mine()
        .select('session_id', 'incarnation', 'subject_id', 'body')
        .where({ session_id: sessionId })
        .first();
      const session = row && readSession(row);
      return session && { incarnation: row.incarnation, session };
    },

    /** Returns the ids of the sessions that have a reading that is not backfilled. */
    async live(sessionIds: readonly string[]): Promise<Set<string>> {
      const rows: SessionRow[] = await mine()
        .select('session_id', 'subject_id', 'body')
        .whereIn('session_id', sessionIds)
        .whereNotNull('body');
      return new Set(rows.filter((row) => !readSession(row)?.isBackfilled).map((row) => row.session_id));
    },
  };
}

/** Writes the sessions of one account in a transaction. */
export function createSessionWriter({ knex: transaction, accountId, version, caches, afterCommit }: WriteScope) {
  const readSessions = (ids: string[]) => findSessions({ knex: transaction, accountId }, ids);

  return {
    /** Returns the statement that locks the sessions that exist, for `lock`. */
    toLock: (sessionIds: readonly string[]): Statement => buildLock(transaction, accountId, sessionIds, sessionLock(0)),

    /** Locks the sessions until the transaction ends. The content of a new session is undefined. `found` is locked. */
    async lock(
      sessionIds: readonly string[],
      nowMs: number,
      found?: readonly LockedSessionRow[],
    ): Promise<Map<string, StoredSession>> {
      const rows = await lockOrInsertRows(transaction, accountId, sessionIds, sessionLock(nowMs), found);
      const locked = rows.map((row) => ({ id: row.session_id, version: row.version }));
      const sessions = await caches.sessions.contentsOf(accountId, locked, readSessions);
      return new Map(
        rows.map(({ session_id, incarnation }) => [session_id, { incarnation, session: sessions.get(session_id) }]),
      );
    },

    /** Locks the session until the transaction ends. Returns its subject. Undefined if the session has no subject. */
    async lockSubjectOf(sessionId: string): Promise<string | undefined> {
      const row = await transaction('sessions')
        .select('subject_id')
        .where({ account_id: accountId, session_id: sessionId })
        .forUpdate()
        .first();
      return row?.subject_id ?? undefined;
    },

    /** Returns the ids of at most `max` sessions of a subject, in order, after an id. */
    async idsOf(subjectId: string, after: string, max: number): Promise<string[]> {
      const mine = transaction('sessions').where({ account_id: accountId, subject_id: subjectId });
      return mine.andWhere('session_id', '>', after).orderBy('session_id').limit(max).pluck('session_id');
    },

    /** Replaces the content of a locked session. Does not extend its lifetime. */
    async replace(sessionId: string, { subjectId: _, ...content }: Session): Promise<void> {
      const body = rowFormats.session.encode(content);
      await transaction('sessions').where({ account_id: accountId, session_id: sessionId }).update({ version, body });
    },

    /** Deletes the placeholder rows of sessions whose readings were all rejected. */
    async removePlaceholders(sessionIds: readonly string[]): Promise<void> {
      if (sessionIds.length === 0) return;
      const mine = transaction('sessions').where({ account_id: accountId, body: null });
      await mine.whereIn('session_id', sessionIds).delete();
    },

    /** Returns the statement that writes the sessions. */
    toSave(sessions: ReadonlyMap<string, StoredSession & { session: Session }>, nowMs: number): Statement[] {
      const values: Value[] = [];
      const touchedMs = touchedAt(nowMs);
      for (const [id, { incarnation, session }] of sessions) {
        const content = { ...session, subjectId: undefined };
        const body = rowFormats.session.encode(content, caches.sessions.lengthOf(accountId, id));
        afterCommit.push(() => caches.sessions.keep(accountId, { id, version }, session, body.length));
        values.push(accountId, id, incarnation, version, session.subjectId ?? null, touchedMs, nowMs, body);
      }
      // Does not update the incarnation and the start, because a locked session already has them.
      const merged = ['version', 'subject_id', 'touched_at_ms', 'body'];
      return buildFlatInsert(transaction, savedRows, values, { key: ['account_id', 'session_id'], merged });
    },
  };
}

/** The columns of a saved session, in the order of `toSave`. */
const savedRows = {
  table: 'sessions',
  columns: 'account_id session_id incarnation version subject_id touched_at_ms started_at_ms body'.split(' '),
};

/** The columns and the placeholder of a locked session. */
const sessionLock = (nowMs: number): RowLock => ({
  table: 'sessions',
  idColumn: 'session_id',
  columns: ['session_id', 'incarnation', 'version'],
  placeholder: () => ({
    incarnation: makeIncarnation(),
    version: noVersion,
    touched_at_ms: touchedAt(nowMs),
    started_at_ms: nowMs,
  }),
});

function touchedAt(nowMs: number): number {
  return nowMs - (nowMs % touchStepMs);
}

/** Returns a list with one map entry. The list is empty if the content is undefined. */
function keyed<T>(id: string, content: T | undefined): Array<[string, T]> {
  return content === undefined ? [] : [[id, content]];
}

/** Returns the session of a row. Undefined for a placeholder row. */
export function readSession(row: Pick<SessionRow, 'subject_id' | 'body'>): Session | undefined {
  if (row.body === null) return undefined;
  const content = rowFormats.session.decode(row.body);
  return row.subject_id === null ? content : { ...content, subjectId: row.subject_id };
}

function makeIncarnation(): string {
  return randomBytes(incarnationBytes).toString('hex');
}
