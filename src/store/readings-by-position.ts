import type { State } from '../contract/contract.js';
import type { SomeSessions } from '../contract/whose.js';
import type { StoredResult } from '../contract/exported-reading.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import {
  computedColumns,
  type ComputedRow,
  hintSessionIndex,
  joinInOrder,
  toAccountKey,
  toComputed,
  toPoint,
} from './readings.js';
import { isMysql, selectRows } from './rows.js';
import type { ReadScope } from './scope.js';
import { chooseSessions } from './session-list.js';
import { findStreamHeads } from './stream-positions.js';

/** A range of positions: later than `after`, up to `through`. */
export interface PositionRange {
  readonly after: number;
  readonly through: number;
}

/** A stored reading in the form that the stream sends. */
export interface StreamedReading {
  readonly position: number;
  readonly sessionId: string;
  readonly subjectId: string | undefined;
  readonly computed: ComputedState;
  /** JSON of the state change that the reading caused. Null if it caused none. */
  readonly stateChange: string | null;
}

/** A session with its subject, and its newest position. */
export interface ChangedSession {
  readonly sessionId: string;
  readonly subjectId: string | undefined;
  readonly position: number;
}

interface Row extends ComputedRow {
  readonly position: number;
  /** Position at which an export returns a replaced reading. Absent in the place of the reading itself. */
  readonly moved?: number;
  readonly session_id: string;
  readonly subject_id: string | null;
  readonly state_change: string | null;
}

const readingColumns = ['position', ...computedColumns, 'state_change'].map((name) => `r.${name}`);
const columns = ['s.session_id', 's.subject_id', ...readingColumns].join(', ');

/**
 * Queries for the readings of one account in the order of their acceptance. Never returns readings of an erased or
 * expired session, because every query joins the sessions.
 */
export function createPositionReader({ knex, accountId }: ReadScope) {
  const account = toAccountKey(accountId);
  const join = joinInOrder(knex);
  const isSame = 'r.account = ? and r.incarnation = s.incarnation';
  const ofReadings = `session_readings r${isMysql(knex) ? ' force index (primary)' : ''} ${join} sessions s on ${isSame} and s.account_id = ?`;
  const joined = `${hintSessionIndex(knex)} on ${isSame}`;
  const ofSessions = `sessions s ${join} ${joined}`;

  // The newest body of a replaced reading, with the reading in its place.
  const isMoved = 'l.account = ? and r.account = l.account and r.position = l.row_position and r.moved_to = l.position';
  const primary = isMysql(knex) ? 'force index (primary)' : '';
  const bySession = isMysql(knex) ? 'force index (late_readings_by_session)' : 'indexed by late_readings_by_session';
  const movedOfReadings = `late_readings l ${primary} ${join} session_readings r on ${isMoved} ${join} sessions s on r.incarnation = s.incarnation and s.account_id = ?`;
  const movedOfSessions = `sessions s ${join} late_readings l ${bySession} on l.incarnation = s.incarnation ${join} session_readings r on ${isMoved}`;
  const ofAnySession = [ofSessions, movedOfSessions] as const;

  /**
   * Returns at most `max` rows of a range. `end` is the last position of the export: a replaced reading has the position of
   * its last replacement up to there.
   */
  const selectIn = async (
    [tables, moved]: readonly [string, string],
    [where, ...bindings]: readonly [sql: string, ...bindings: string[]],
    { after, through }: PositionRange,
    max: number,
    end: number,
    isSorted = true,
  ): Promise<StoredResult[]> => {
    const isHere = '(r.moved_to is null or r.moved_to > ?)';
    const select = (range: string, order: string) =>
      `select ${columns} from ${tables} where ${where} and ${range} and ${isHere} ${isSorted ? order : ''} limit ${max}`;
    // One statement. Backfilled readings have negative positions.
    const parts = [
      select('r.position > ? and r.position <= ?', 'order by r.position'),
      select('r.position < -? and r.position >= -?', 'order by r.position desc'),
    ];
    const toPart = (sql: string) => (isMysql(knex) ? `(${sql})` : `select * from (${sql}) next`);
    const values = [account, ...bindings, after, through, end];
    const own = await selectRows<Row>(knex, {
      sql: parts.map(toPart).join(' union all '),
      bindings: [...values, ...values],
    });
    own.sort(byAcceptance);
    // Searches no further than a full page, because the next page starts there.
    const last = isSorted ? own[max - 1] : undefined;
    const replaced = await selectRows<Row>(knex, {
      sql: `select ${columns}, l.position as moved from ${moved} where ${where} and l.position > ? and l.position <= ?
        ${isSorted ? 'order by l.position' : ''} limit ${max}`,
      bindings: [account, ...bindings, after, last ? Math.abs(last.position) : through],
    });
    const rows = replaced.length === 0 ? own : [...own, ...replaced].sort(byAcceptance);
    return rows.slice(0, max).map(toStoredResult);
  };
  return {
    /** Returns at most `max` readings of the account, starting at a position, without backfilled readings. */
    async streamAccount(from: number, max: number): Promise<StreamedReading[]> {
      const sql = `select ${columns} from ${ofReadings}
        where r.account = ? and r.position >= ? order by r.position limit ${max}`;
      const rows = await selectRows<Row>(knex, { sql, bindings: [account, accountId, account, from] });
      return rows.map(toStreamed);
    },

    /**
     * Returns at most `max` readings of the session, starting at a position, without backfilled readings, and the
     * incarnation of the session. The incarnation is undefined if the session has no data.
     */
    async streamSession(sessionId: string, from: number, max: number) {
      const sql = `select s.incarnation, ${columns}
        from sessions s left join ${joined} and r.position >= ?
        where s.account_id = ? and s.session_id = ? and s.body is not null order by r.position limit ${max}`;
      type Found = { readonly incarnation: string } & (Row | { readonly position: null });
      const rows = await selectRows<Found>(knex, { sql, bindings: [account, from, accountId, sessionId] });
      const readings = rows.flatMap((row) => (row.position === null ? [] : toStreamed(row)));
      return { incarnation: rows[0]?.incarnation, readings };
    },

    /** Returns the readings of the sessions in a range, without backfilled readings, for `searchPerson`. */
    async streamSessions(
      whose: SomeSessions,
      { after, through }: PositionRange,
      max: number,
    ): Promise<StreamedReading[]> {
      const [chosen, bindings] = chooseSessions(whose);
      const sql = `select ${columns} from ${ofSessions} where s.account_id = ? and s.${chosen}
        and r.position > ? and r.position <= ? limit ${max + 1}`;
      const rows = await selectRows<Row>(knex, { sql, bindings: [account, accountId, ...bindings, after, through] });
      return rows.map(toStreamed);
    },

    /** Returns the position of the account's newest reading. 0 if the account has no readings. */
    async newestPosition(): Promise<number> {
      const [head] = await findStreamHeads(knex, [accountId]);
      return head?.position ?? 0;
    },

    /** Returns the sessions with readings after a position. Each session has its newest position. */
    async changedAfter(position: number): Promise<ChangedSession[]> {
      const sql = `select s.session_id as sessionId, s.subject_id as subjectId, r.position from ${ofReadings}
        where r.account = ? and r.position > ? order by r.position`;
      type Found = Omit<ChangedSession, 'subjectId'> & { readonly subjectId: string | null };
      const rows = await selectRows<Found>(knex, { sql, bindings: [account, accountId, account, position] });
      const changed = rows.map((row) => ({ ...row, subjectId: row.subjectId ?? undefined }));
      return [...new Map(changed.map((it) => [it.sessionId, it])).values()];
    },

    /** Returns at most `max` readings of the account, with everything that is stored about them. */
    exportAccount: (range: PositionRange, max: number) =>
      selectIn([ofReadings, movedOfReadings], ['r.account = ?', accountId, account], range, max, range.through),

    /** Returns at most `max` readings of the session, with everything that is stored about them. */
    exportSession: (sessionId: string, range: PositionRange, max: number) =>
      selectIn(
        ofAnySession,
        ['s.account_id = ? and s.session_id = ?', accountId, sessionId],
        range,
        max,
        range.through,
      ),

    /** Returns the readings of the sessions in a range, with everything that is stored, for `searchPerson`. */
    exportSessions: (whose: SomeSessions, range: PositionRange, max: number, end: number) => {
      const [chosen, bindings] = chooseSessions(whose);
      const where = `s.account_id = ? and s.${chosen}`;
      return selectIn(ofAnySession, [where, accountId, ...bindings], range, max + 1, end, false);
    },

    /** Returns the time at which the first of the sessions started, in epoch ms. Undefined if there is none. */
    async firstSessionOf(whose: SomeSessions): Promise<number | undefined> {
      const row: { readonly startedAtMs: number } | undefined = await knex('sessions')
        .select({ startedAtMs: 'started_at_ms' })
        .where({ account_id: accountId })
        .whereRaw(...chooseSessions(whose))
        .orderBy('started_at_ms')
        .first();
      return row?.startedAtMs;
    },
  };
}

const positionOf = ({ position, moved }: Row) => moved ?? Math.abs(position);

function byAcceptance(a: Row, b: Row): number {
  return positionOf(a) - positionOf(b);
}

function toStreamed(row: Row): StreamedReading {
  const { position, session_id: sessionId, state_change: stateChange } = row;
  const subjectId = row.subject_id ?? undefined;
  return { position, sessionId, subjectId, computed: toComputed(row, toPoint(row)), stateChange };
}

function toStoredResult(row: Row): StoredResult {
  const point = toPoint(row);
  return {
    ...point,
    position: positionOf(row),
    isBackfill: row.position < 0,
    sessionId: row.session_id,
    subjectId: row.subject_id ?? undefined,
    computed: toComputed(row, point),
    previousState: row.state_change === null ? undefined : readPreviousState(row.state_change),
  };
}

function readPreviousState(stateChange: string): State {
  return JSON.parse(stateChange).previous_state;
}
