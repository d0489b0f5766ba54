import type { ComputedState } from '../../packages/score/rows/session.js';
import { nameColumns } from './columns.js';
import {
  computedColumns,
  type ComputedRow,
  hintSessionIndex,
  type ResultRow,
  resultColumns,
  toAccountKey,
  toComputed,
  toPoint,
  toResult,
} from './readings.js';
import { selectRows } from './rows.js';
import type { SlicedScope } from './scope.js';
import { selectNewestSessions, type SessionCursor, type SessionFilter } from './session-list.js';

/** A session as of a position. */
export interface SnapshotSession extends SessionCursor {
  /** Position of the session's newest reading. */
  readonly position: number;
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
  readonly isWeak?: true | undefined;
}

export interface SnapshotEntry extends SnapshotSession {
  readonly sessionId: string;
  readonly subjectId: string | undefined;
  readonly computed: ComputedState;
}

export interface SessionPoint {
  readonly timestampMs: number;
  readonly score: number;
}

/** Sessions per statement. A statement takes milliseconds, and other requests run between two statements. */
const stepSessions = 250;

/**
 * Reads the sessions of one account as of a position. Each stored reading contains the state of its session after it, so
 * that the newest reading up to the position shows the session as of then. No index contains scores, so that a reading
 * updates none.
 */
export function createSnapshotReader({ knex, accountId, pause }: SlicedScope) {
  const account = toAccountKey(accountId);
  const newest = `select r.position from ${hintSessionIndex(knex)} where r.account = ?
    and r.incarnation = s.incarnation and r.position > 0 and r.position <= ? order by r.position desc limit 1`;

  const readStep = async ({ names, after }: SessionFilter, position: number) => {
    const query = knex('sessions as s')
      .select(nameColumns('incarnation startedAtMs'), knex.raw(`(${newest}) as position`, [account, position]))
      .where({ 's.account_id': accountId })
      .where(names);
    const rows: Array<SessionCursor & { position: number | null }> = await selectNewestSessions(query, after).limit(
      stepSessions,
    );
    const sessions = rows.map((row) => ({ ...row, position: row.position ?? 0 }));
    const readings = await readAt<ResultRow>(sessions, resultColumns);
    return {
      found: sessions.flatMap((session): SnapshotSession[] => {
        const reading = readings.get(session.position);
        return reading ? [{ ...session, ...toResult(reading) }] : [];
      }),
      next: sessions.length === stepSessions ? sessions.at(-1) : undefined,
    };
  };
  /** Returns the readings of the sessions, by position. */
  const readAt = async <Row extends object>(
    sessions: ReadonlyArray<Pick<SnapshotSession, 'position'>>,
    columns: ReadonlyArray<keyof Row & string>,
  ): Promise<Map<number, Row>> => {
    if (sessions.length === 0) return new Map();
    const positions = sessions.map(({ position }) => position);
    const query = knex('session_readings').select('position', ...columns);
    const rows: Array<Row & { position: number }> = await query.where({ account }).whereIn('position', positions);
    return new Map(rows.map((row) => [row.position, row]));
  };

  return {
    /** Returns the sessions as of a position, at most about `max`: those that started last. */
    async sessionsAt(position: number, names: SessionFilter['names'], max: number): Promise<SnapshotSession[]> {
      const all: SnapshotSession[] = [];
      let after: SessionCursor | undefined;
      do {
        const { found, next } = await readStep({ names, after }, position);
        all.push(...found);
        after = next;
        await pause(stepSessions);
      } while (after && all.length < max);
      return all.slice(0, max);
    },

    /** Adds what a page shows to its sessions. Leaves out sessions that have been erased or have expired. */
    async complete(sessions: readonly SnapshotSession[]): Promise<SnapshotEntry[]> {
      if (sessions.length === 0) return [];
      const rows: Array<{ session_id: string; subject_id: string | null; incarnation: string }> = await knex('sessions')
        .select('session_id', 'subject_id', 'incarnation')
        .where({ account_id: accountId })
        .whereIn(
          'incarnation',
          sessions.map(({ incarnation }) => incarnation),
        );
      const named = new Map(rows.map((row) => [row.incarnation, row]));
      const readings = await readAt<ComputedRow>(sessions, computedColumns);
      return sessions.flatMap((session) => {
        const [row, reading] = [named.get(session.incarnation), readings.get(session.position)];
        if (!row || !reading) return [];
        const computed = toComputed(reading, toPoint(reading));
        return [{ ...session, sessionId: row.session_id, subjectId: row.subject_id ?? undefined, computed }];
      });
    },

    /**
     * Returns the points of the newest `max` readings of each session up to a position, oldest first, by incarnation.
     * Leaves out those without evidence.
     */
    async pointsOf(
      incarnations: readonly string[],
      position: number,
      max: number,
    ): Promise<Map<string, SessionPoint[]>> {
      const points = new Map<string, SessionPoint[]>(incarnations.map((incarnation) => [incarnation, []]));
      if (incarnations.length === 0 || max === 0) return points;
      const ofOne = `select * from (select r.incarnation, r.timestamp_ms, r.stress_score, r.confidence from ${hintSessionIndex(knex)}
        where r.account = ? and r.incarnation = ? and r.position > 0 and r.position <= ?
        order by r.position desc limit ${max}) as recent`;
      const rows = await selectRows<Omit<ResultRow, 'response'> & { incarnation: string }>(knex, {
        sql: incarnations.map(() => ofOne).join(' union all '),
        bindings: incarnations.flatMap((incarnation) => [account, incarnation, position]),
      });
      for (const { incarnation, timestamp_ms: timestampMs, stress_score: score, confidence } of rows)
        if (confidence > 0) points.get(incarnation)?.push({ timestampMs, score });
      for (const found of points.values()) found.sort((a, b) => a.timestampMs - b.timestampMs);
      return points;
    },
  };
}
