import type { Knex } from 'knex';
import { history as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import type { Answer, Point } from '../domain/session.js';
import { deleteOldest } from './delete-oldest.js';
import { insertOf } from './insert-rows.js';
import { rowFormats } from './row-formats.js';
import type { Statement } from './run-statements.js';
import { positionStep } from './stream-positions.js';

/** Key of a reading: session, incarnation, time and keyed digest of its body. */
export interface ReadingKey {
  readonly sessionId: string;
  readonly incarnation: string;
  readonly timestampMs: number;
  readonly digest: string;
}

export interface StoredReading extends ReadingKey {
  readonly point: Point;
  readonly answer: Answer;
  /** Absent if the reading did not change the state. */
  readonly stateChange: Schema<'StateChange'> | undefined;
}

type Decimal = 'heartRate' | 'respiratoryRate';
type PointRow = Omit<Point, Decimal> & { readonly [Name in Decimal]: string | null };

/** Readings of one account. */
export function readingTable(knex: Knex, accountId: string) {
  const mine = () => knex('readings').where({ account_id: accountId });

  return {
    /** Returns the history points after a time (ms), oldest first. A response holds the newest `datapoints_max`. */
    async pointsAfter(sessionId: string, incarnation: string, afterMs: number): Promise<Point[]> {
      const rows: PointRow[] = await mine()
        .select({
          timestampMs: 'timestamp_ms',
          score: 'stress_score',
          confidence: 'confidence',
          heartRate: 'heart_rate',
          respiratoryRate: 'respiratory_rate',
          sourceDevice: 'source_device',
        })
        .where({ session_id: sessionId, incarnation })
        .where('timestamp_ms', '>', afterMs)
        .orderBy([
          { column: 'timestamp_ms', order: 'desc' },
          { column: 'digest', order: 'desc' },
        ])
        .limit(settings.datapoints_max);
      rows.reverse();
      // Converts rows in place: an hour has thousands of rows, and copying each takes longer than the query.
      return rows.map((row) =>
        Object.assign(row, {
          heartRate: toNumber(row.heartRate),
          respiratoryRate: toNumber(row.respiratoryRate),
        }),
      );
    },

    /** Returns the named readings that are stored, with their responses. */
    async find(keys: readonly ReadingKey[]): Promise<Array<ReadingKey & { readonly answer: Answer }>> {
      if (keys.length === 0) return [];
      // Repeats the account in each alternative. Otherwise, SQLite would scan all readings of the account.
      const rows = await knex('readings')
        .select('session_id', 'incarnation', 'timestamp_ms', 'digest', 'response')
        .where((any) =>
          keys.forEach(({ sessionId, incarnation, timestampMs, digest }) => {
            const key = { session_id: sessionId, incarnation, timestamp_ms: timestampMs, digest };
            any.orWhere({ account_id: accountId, ...key });
          }),
        );
      return rows.map((row) => ({
        sessionId: row.session_id,
        incarnation: row.incarnation,
        timestampMs: row.timestamp_ms,
        digest: row.digest,
        answer: rowFormats.response.decode(row.response),
      }));
    },

    /** Returns the statement that adds the readings. Their positions ascend from `firstPosition`. */
    toAppend(readings: readonly StoredReading[], firstPosition: number): Statement[] {
      const rows = readings.map(
        ({ sessionId, incarnation, timestampMs, digest, point, answer, stateChange }, index) => ({
          account_id: accountId,
          session_id: sessionId,
          incarnation,
          timestamp_ms: timestampMs,
          digest,
          stress_score: point.score,
          confidence: point.confidence,
          heart_rate: toText(point.heartRate),
          respiratory_rate: toText(point.respiratoryRate),
          source_device: point.sourceDevice,
          response: rowFormats.response.encode(answer),
          position: firstPosition + index * positionStep,
          state_change: stateChange ? JSON.stringify(stateChange) : null,
        }),
      );
      return insertOf(knex, 'readings', rows);
    },
  };
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}

function toText(number: number | null): string | null {
  return number === null ? null : String(number);
}

/** Deletes at most `batch` readings older than `beforeMs`. Returns their number. */
export function purgeReadings(knex: Knex, beforeMs: number, batch: number): Promise<number> {
  return deleteOldest(knex, 'readings', 'timestamp_ms', beforeMs, batch);
}
