import type { ReadScope } from './scope.js';
import type { Knex } from 'knex';
import { history as settings } from '../../generated/spec.js';
import type { Point } from '../score/history.js';
import { buildInsert, isMysql, selectRows, type Statement } from './rows.js';
import {
  computedColumns,
  type ComputedRow,
  findPositions,
  type ReadingKey,
  type StoredReading,
  toAccountKey,
  toComputed,
  toPoint,
  toPointWithTopics,
  toReadingRows,
} from './reading-row.js';
import { positionStep } from './stream-positions.js';
import type { ComputedState } from '../score/remembered.js';

const lateWithReadings = 'late_readings l join session_readings r on r.account = l.account and r.position = l.position';

/**
 * Returns SQL that selects the index of a session's readings. Otherwise, SQLite would read the readings of all
 * sessions.
 */
export function readingsOfSession(knex: Knex): string {
  const hint = isMysql(knex) ? 'force index (session_readings_by_session)' : 'indexed by session_readings_by_session';
  return `session_readings r ${hint}`;
}

/** Readings of one account. */
export function readingTable({ knex, accountId }: ReadScope) {
  const account = toAccountKey(accountId);

  return {
    /**
     * Returns the newest `datapoints_max` history points after a time and up to another time (epoch ms), oldest first.
     */
    async pointsAfter(incarnation: string, afterMs: number, untilMs = Number.MAX_SAFE_INTEGER): Promise<Point[]> {
      const columns = ['digest', ...computedColumns].map((name) => `r.${name}`).join(', ');
      const after = findPositions(afterMs)[0];
      const last = Math.min(findPositions(untilMs)[1], Number.MAX_SAFE_INTEGER);
      // Readings with another position, e.g. backfilled readings, are in `late_readings`.
      const sql = `select ${columns} from ${readingsOfSession(knex)}
        where r.account = ? and r.incarnation = ? and r.position > ? and r.position <= ?
          and r.timestamp_ms > ? and r.timestamp_ms <= ?
        union all select ${columns} from ${lateWithReadings}
        where l.account = ? and l.incarnation = ? and l.timestamp_ms > ? and l.timestamp_ms <= ?
          and (l.position <= ? or l.position > ?)
        order by timestamp_ms desc, digest desc limit ${settings.datapoints_max}`;
      const window = [afterMs, untilMs];
      const bindings = [account, incarnation, after, last, ...window, account, incarnation, ...window, after, last];
      return (await selectRows<ComputedRow>(knex, { sql, bindings })).reverse().map(toPointWithTopics);
    },

    /** Returns those readings that are stored, with their responses. */
    async find(keys: readonly ReadingKey[]): Promise<Array<ReadingKey & { readonly computed: ComputedState }>> {
      if (keys.length === 0) return [];
      const columns = ['incarnation', 'digest', ...computedColumns].map((name) => `r.${name}`).join(', ');
      const any = (condition: string) => keys.map(() => `(${condition})`).join(' or ');
      const near = any(
        'r.account = ? and r.incarnation = ? and r.position between ? and ? and r.digest = ? and r.timestamp_ms = ?',
      );
      const late = any('l.account = ? and l.incarnation = ? and l.timestamp_ms = ? and l.digest = ?');
      const rows = await selectRows<ComputedRow & { readonly incarnation: string; readonly digest: string }>(knex, {
        sql: `select ${columns} from ${readingsOfSession(knex)} where ${near}
          union all select ${columns} from ${lateWithReadings} where ${late}`,
        bindings: [
          ...keys.flatMap((it) => [
            account,
            it.incarnation,
            ...findPositions(it.timestampMs),
            it.digest,
            it.timestampMs,
          ]),
          ...keys.flatMap((it) => [account, it.incarnation, it.timestampMs, it.digest]),
        ],
      });
      const sessionIds = new Map(keys.map(({ incarnation, sessionId }) => [incarnation, sessionId]));
      return rows.map((row) => {
        const { incarnation, digest, timestamp_ms: timestampMs } = row;
        const sessionId = sessionIds.get(incarnation) as string;
        return { sessionId, incarnation, timestampMs, digest, computed: toComputed(row, toPoint(row)) };
      });
    },

    /** Returns the statements that add the readings. Positions ascend from `firstPosition`. */
    toAppend(readings: readonly StoredReading[], firstPosition: number): Statement[] {
      const rows = readings.map((reading, index) => {
        const position = (reading.isSilent ? -1 : 1) * (firstPosition + index * positionStep);
        return toReadingRows(account, reading, position);
      });
      const insert = (table: string, inserted: Parameters<typeof buildInsert>[2]) => buildInsert(knex, table, inserted);
      return [
        ...insert(
          'session_readings',
          rows.map(({ row }) => row),
        ),
        ...insert(
          'late_readings',
          rows.flatMap(({ late }) => late),
        ),
      ];
    },
  };
}
