import type { Knex } from 'knex';
import type { ComputedState } from '../domain/session.js';
import { computedColumns, toComputed } from './readings.js';

/** A stored reading in the form that the stream sends. */
export interface StreamedReading {
  readonly position: number;
  readonly sessionId: string;
  readonly computed: ComputedState;
  /** JSON of the state change that the reading caused. Null if it caused none. */
  readonly stateChange: string | null;
}

/**
 * The readings of a session and the incarnation of the session. The incarnation is undefined if the session has no
 * data.
 */
export interface SessionReadings {
  readonly incarnation: string | undefined;
  readonly readings: readonly StreamedReading[];
}

/** A session and its newest position. */
export interface ChangedSession {
  readonly sessionId: string;
  readonly position: number;
}

interface Row {
  readonly incarnation: string;
  /** Null for a session without readings in the range. */
  readonly position: number | null;
  readonly session_id: string;
  readonly response: string;
  readonly model_version: number;
  readonly state_change: string | null;
}

const columns = ['position', 'session_id', ...computedColumns, 'state_change'].map((name) => `r.${name}`);

/** Queries for one account's readings in the order of their acceptance. Never returns readings of an erased session. */
export function streamReader(knex: Knex, accountId: string) {
  return {
    /** Returns at most `max` readings of the account, starting at a position. */
    async ofAccount(from: number, max: number): Promise<StreamedReading[]> {
      const isCurrent = knex('sessions as s')
        .select('s.session_id')
        .whereRaw('s.account_id = r.account_id and s.session_id = r.session_id and s.incarnation = r.incarnation');
      const rows: Row[] = await knex('readings as r')
        .select(...columns)
        .where('r.account_id', accountId)
        .where('r.position', '>=', from)
        .whereExists(isCurrent)
        .orderBy('r.position')
        .limit(max);
      return rows.flatMap(toReading);
    },

    /** Returns at most `max` readings of the session, starting at a position. */
    async ofSession(sessionId: string, from: number, max: number): Promise<SessionReadings> {
      const rows: Row[] = await knex('sessions as s')
        .select('s.incarnation', ...columns)
        .leftJoin('readings as r', (on) => {
          on.on('r.account_id', 's.account_id').on('r.session_id', 's.session_id');
          on.on('r.incarnation', 's.incarnation').on('r.position', '>=', knex.raw('?', [from]));
        })
        .where({ 's.account_id': accountId, 's.session_id': sessionId })
        .whereNotNull('s.body')
        .orderBy('r.position')
        .limit(max);
      return { incarnation: rows[0]?.incarnation, readings: rows.flatMap(toReading) };
    },

    /** Returns the sessions with readings after a position. Each session has its newest position. */
    async changedAfter(position: number): Promise<ChangedSession[]> {
      const rows: ChangedSession[] = await knex('readings')
        .select({ sessionId: 'session_id', position: 'position' })
        .where({ account_id: accountId })
        .where('position', '>', position)
        .orderBy('position');
      return [...new Map(rows.map((row) => [row.sessionId, row])).values()];
    },
  };
}

function toReading({ position, session_id, state_change, ...row }: Row): StreamedReading[] {
  if (position === null) return [];
  return [{ position, sessionId: session_id, computed: toComputed(row), stateChange: state_change }];
}
