import type { Knex } from 'knex';
import { history as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import type { Point } from '../domain/history.js';
import type { ComputedState } from '../domain/session.js';
import { deleteOldest } from './delete-oldest.js';
import { insertOf } from './insert-rows.js';
import { rowFormats } from './row-formats.js';
import type { Statement } from './run-statements.js';
import { positionStep } from './stream-positions.js';

/** Key of a reading: session, incarnation, timestamp and keyed digest of its body. */
export interface ReadingKey {
  readonly sessionId: string;
  readonly incarnation: string;
  readonly timestampMs: number;
  readonly digest: string;
}

export interface StoredReading extends ReadingKey {
  readonly point: Point;
  readonly computed: ComputedState;
  /** Absent if the reading did not change the state. */
  readonly stateChange: Schema<'StateChange'> | undefined;
  /** True for a backfilled reading, which streams do not send. */
  readonly isSilent?: boolean;
}

type PointRow = Omit<Point, 'measured'> & { readonly signals: string };

/** The columns that contain the computed state of a reading. */
export const computedColumns = ['response', 'model_version'] as const;

interface ComputedRow {
  readonly response: string;
  readonly model_version: number;
}

/** Returns the computed state of a row. */
export function toComputed({ response, model_version: model }: ComputedRow): ComputedState {
  return { ...rowFormats.response.decode(response), model };
}

/** Readings of one account. */
export function readingTable(knex: Knex, accountId: string) {
  const mine = () => knex('readings').where({ account_id: accountId });

  return {
    /** Returns the newest `datapoints_max` history points after a time (epoch ms), oldest first. */
    async pointsAfter(sessionId: string, incarnation: string, afterMs: number): Promise<Point[]> {
      const rows: PointRow[] = await mine()
        .select({
          timestampMs: 'timestamp_ms',
          score: 'stress_score',
          confidence: 'confidence',
          model: 'model_version',
          signals: 'signals',
        })
        .where({ session_id: sessionId, incarnation })
        .where('timestamp_ms', '>', afterMs)
        .orderBy([
          { column: 'timestamp_ms', order: 'desc' },
          { column: 'digest', order: 'desc' },
        ])
        .limit(settings.datapoints_max);
      rows.reverse();
      return rows.map(({ signals, ...row }) => ({ ...row, measured: rowFormats.signals.decode(signals) }));
    },

    /** Returns those readings that are stored, with their responses. */
    async find(keys: readonly ReadingKey[]): Promise<Array<ReadingKey & { readonly computed: ComputedState }>> {
      if (keys.length === 0) return [];
      // Repeats the account in each alternative. Otherwise, SQLite would scan all readings of the account.
      const rows = await knex('readings')
        .select('session_id', 'incarnation', 'timestamp_ms', 'digest', ...computedColumns)
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
        computed: toComputed(row),
      }));
    },

    /** Returns the statements that add the readings. Positions ascend from `firstPosition`. */
    toAppend(readings: readonly StoredReading[], firstPosition: number): Statement[] {
      const rows = readings.map(
        ({ sessionId, incarnation, timestampMs, digest, point, computed, stateChange, isSilent }, index) => ({
          account_id: accountId,
          session_id: sessionId,
          incarnation,
          timestamp_ms: timestampMs,
          digest,
          stress_score: point.score,
          confidence: point.confidence,
          signals: rowFormats.signals.encode(point.measured),
          model_version: point.model,
          response: rowFormats.response.encode({ ...computed, model: undefined }),
          position: (isSilent ? -1 : 1) * (firstPosition + index * positionStep),
          state_change: stateChange ? JSON.stringify(stateChange) : null,
        }),
      );
      return insertOf(knex, 'readings', rows);
    },
  };
}

/** Number of readings to search. Backfilled readings with recent timestamps could otherwise make the search long. */
const newestMax = 1_000;

/** Returns the timestamp of the newest live reading of all accounts, epoch ms. Undefined if none is found. */
export async function findNewestReading(knex: Knex): Promise<number | undefined> {
  const newest = knex('readings').select('timestamp_ms', 'position').orderBy('timestamp_ms', 'desc').limit(newestMax);
  // The position of a backfilled reading is negative.
  const [row] = await knex.from(newest.as('newest')).where('position', '>', 0).max({ timestampMs: 'timestamp_ms' });
  return row?.timestampMs ?? undefined;
}

/** Deletes at most `batch` readings older than `beforeMs`. Returns the number of deleted readings. */
export function purgeReadings(knex: Knex, beforeMs: number, batch: number): Promise<number> {
  return deleteOldest(knex, 'readings', 'timestamp_ms', beforeMs, batch);
}
