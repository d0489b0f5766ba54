import type { Knex } from 'knex';
import type { State } from '../contract.js';
import type { StoredResult } from '../domain/exported-reading.js';
import { isMysql } from './is-mysql.js';
import { toComputed } from './readings.js';
import { rowFormats } from './row-formats.js';
import { selectRows } from './select-rows.js';

/** A range of positions: later than `after`, up to `through`. */
export interface PositionRange {
  readonly after: number;
  readonly through: number;
}

interface Row {
  readonly position: number;
  readonly session_id: string;
  readonly subject_id: string | null;
  readonly timestamp_ms: number;
  readonly stress_score: number;
  readonly confidence: number;
  readonly signals: string;
  readonly response: string;
  readonly model_version: number;
  readonly state_change: string | null;
}

const columns =
  'r.position, r.session_id, s.subject_id, r.timestamp_ms, r.stress_score, r.confidence, r.signals, r.response, r.model_version, r.state_change';
const isSame = 's.account_id = r.account_id and s.session_id = r.session_id and s.incarnation = r.incarnation';

/**
 * Queries for the readings of one account in the order of their acceptance, with everything that is stored about them.
 * Never returns readings of an erased or expired session, because every query joins the sessions.
 */
export function exportReader(knex: Knex, accountId: string) {
  // Both keep the order of the tables. Otherwise, a database without statistics may start with the larger table.
  const join = isMysql(knex) ? 'straight_join' : 'cross join';
  const select = async (
    tables: string,
    where: readonly [sql: string, bindings: readonly string[]],
    { after, through }: PositionRange,
    max: number,
  ): Promise<StoredResult[]> => {
    const selectIn = (range: string) => {
      const sql = `select ${columns} from ${tables} on ${isSame} where ${where[0]} and ${range} limit ${max}`;
      return selectRows<Row>(knex, { sql, bindings: [...where[1], after, through] });
    };
    const streamed = await selectIn('r.position > ? and r.position <= ? order by r.position');
    // Backfilled readings have negative positions.
    const silent = await selectIn('r.position < -? and r.position >= -? order by r.position desc');
    const rows = silent.length === 0 ? streamed : [...streamed, ...silent].sort(byAcceptance).slice(0, max);
    return rows.map(toStoredResult);
  };
  // The server would sort a session's readings instead of reading them from the index in order.
  const using = (index: string) => (isMysql(knex) ? ` force index (${index})` : '');
  const ofSessions = `sessions s ${join} readings r${using('readings_of_session')}`;
  const ofReadings = `readings r${using('readings_by_position')} ${join} sessions s`;

  return {
    /** Returns at most `max` readings of the account. */
    ofAccount: (range: PositionRange, max: number) => select(ofReadings, ['r.account_id = ?', [accountId]], range, max),

    /** Returns at most `max` readings of the session. */
    ofSession: (sessionId: string, range: PositionRange, max: number) =>
      select(ofSessions, ['s.account_id = ? and s.session_id = ?', [accountId, sessionId]], range, max),

    /**
     * Returns at most `max` readings of the subject's sessions. The duration depends on the number of sessions and of
     * the readings in the range.
     */
    ofSubject: (subjectId: string, range: PositionRange, max: number) =>
      select(ofSessions, ['s.account_id = ? and s.subject_id = ?', [accountId, subjectId]], range, max),

    /** Returns the time at which the subject's first session started, epoch ms. Undefined if it has no session. */
    async firstSessionOf(subjectId: string): Promise<number | undefined> {
      const row: { readonly startedAtMs: number } | undefined = await knex('sessions')
        .select({ startedAtMs: 'started_at_ms' })
        .where({ account_id: accountId, subject_id: subjectId })
        .orderBy('started_at_ms')
        .first();
      return row?.startedAtMs;
    },
  };
}

function byAcceptance(a: Row, b: Row): number {
  return Math.abs(a.position) - Math.abs(b.position);
}

function toStoredResult(row: Row): StoredResult {
  return {
    position: Math.abs(row.position),
    isBackfill: row.position < 0,
    sessionId: row.session_id,
    subjectId: row.subject_id ?? undefined,
    timestampMs: row.timestamp_ms,
    score: row.stress_score,
    confidence: row.confidence,
    model: row.model_version,
    measured: rowFormats.signals.decode(row.signals),
    computed: toComputed(row),
    previousState: row.state_change === null ? undefined : previousStateOf(row.state_change),
  };
}

function previousStateOf(stateChange: string): State {
  return JSON.parse(stateChange).previous_state;
}
