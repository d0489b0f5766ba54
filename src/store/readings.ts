import type { Knex } from 'knex';
import { timestamps } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import { listTextValues, listCategories, type HistoryPoint } from '../../packages/score/signals.js';
import { rowFormats } from './row-formats.js';
import { buildFlatInsert, isMysql, selectRows, type Statement, type Value } from './rows.js';
import type { ReadScope } from './scope.js';
import { markPosition, positionsPerMs, positionStep } from './stream-positions.js';

const lateWithReadings = 'late_readings l join session_readings r on r.account = l.account and r.position = l.position';

/**
 * Returns SQL that selects the index of a session's readings. Otherwise, SQLite would read the readings of all
 * sessions.
 */
export function hintSessionIndex(knex: Knex): string {
  return `session_readings r ${hintIndex(knex, 'session_readings_by_session')}`;
}

/** The same for the late readings of a session. */
export function hintLateIndex(knex: Knex): string {
  return `late_readings l ${hintIndex(knex, 'late_readings_by_digest')}`;
}

function hintIndex(knex: Knex, index: string): string {
  return isMysql(knex) ? `force index (${index})` : `indexed by ${index}`;
}

/**
 * Returns the SQL join keyword that makes the database read the tables in the written order. Otherwise, a database
 * without statistics may start with the larger table.
 */
export function joinInOrder(knex: Knex): string {
  return isMysql(knex) ? 'straight_join' : 'cross join';
}

/** Readings of one account. */
export function createReadingTable({ knex, accountId }: ReadScope) {
  const account = toAccountKey(accountId);

  return {
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
        sql: `select ${columns} from ${hintSessionIndex(knex)} where ${near}
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

    /**
     * Returns the statements that add the readings. Positions ascend from `firstPosition`. With `isRelative`, they are for
     * `takeInPacket` with a first position from `firstPosition` to `findFirstMax`.
     */
    toAppend(readings: readonly StoredReading[], firstPosition: number, isRelative = false): Statement[] {
      const values: Value[] = [];
      const lateValues: Value[] = [];
      const base = isRelative ? firstPosition : 0;
      for (const [index, reading] of readings.entries()) {
        const position = (reading.isSilent ? -1 : 1) * (firstPosition + index * positionStep);
        const { incarnation, timestampMs, digest } = reading;
        addReading(values, account, reading, position - base);
        const [earliest, latest] = findPositions(timestampMs);
        if (position < earliest || position > latest)
          lateValues.push(account, position - base, incarnation, timestampMs, digest);
      }
      const mark = isRelative ? { markOf: markPosition } : {};
      const insert = (table: string, columns: readonly string[], all: readonly Value[]) =>
        buildFlatInsert(knex, { table, columns, ...mark }, all);
      return [
        ...insert('session_readings', insertedColumns, values),
        ...insert('late_readings', lateColumns, lateValues),
      ];
    },

    /**
     * Returns the highest first position with which the same readings are late as with `first`. Undefined if a higher one
     * may change which are.
     */
    findFirstMax(readings: readonly StoredReading[], first: number): number | undefined {
      let max = Number.MAX_SAFE_INTEGER;
      for (const [index, { timestampMs, isSilent }] of readings.entries()) {
        const offset = index * positionStep;
        const [earliest, latest] = findPositions(timestampMs);
        if (isSilent || first + offset < earliest) return undefined;
        if (first + offset <= latest) max = Math.min(max, latest - offset);
      }
      return max;
    },
  };
}

/** Key of a reading: session, incarnation, timestamp and keyed digest of its body. */
interface ReadingKey {
  readonly sessionId: string;
  readonly incarnation: string;
  readonly timestampMs: number;
  readonly digest: string;
}

export interface StoredReading extends ReadingKey {
  readonly point: HistoryPoint;
  readonly computed: ComputedState;
  /** Absent if the reading did not change the state. */
  readonly stateChange: Schema<'StateChange'> | undefined;
  /** True for a backfilled reading, which streams do not send. */
  readonly isSilent?: boolean;
}

/** Number of hex characters of a digest. The digests of one session and timestamp must differ, so 48 bits suffice. */
export const digestLength = 12;
/** Maximum time from the timestamp of a reading to its acceptance, in ms. Later readings are in `late_readings`. */
const latenessMaxMs = 60_000;
const aheadMaxMs = timestamps.max_ahead_seconds * 1_000;
/** Maximum difference in ms between the timestamp and the acceptance of a reading that is not in `late_readings`. */
export const nearMaxMs = Math.max(latenessMaxMs, aheadMaxMs);

/** The columns that contain the point and the computed state of a reading. */
export const computedColumns = [
  'timestamp_ms',
  'stress_score',
  'confidence',
  'model_version',
  'previous_score',
  'signals',
  'response',
] as const;

export interface ComputedRow {
  readonly timestamp_ms: number;
  readonly stress_score: number;
  readonly confidence: number;
  readonly model_version: number;
  readonly previous_score: number | null;
  readonly signals: string;
  readonly response: string;
}

/** The columns that contain the timestamp, the score and the confidence of a session after a reading. */
export const resultColumns = ['timestamp_ms', 'stress_score', 'confidence', 'response'] as const;
export type ResultRow = Pick<ComputedRow, (typeof resultColumns)[number]>;

/** Returns the key of an account in `session_readings`. */
export function toAccountKey(accountId: string): string {
  return accountId.slice(4, 16);
}

/** Returns the point of a row. */
export function toPoint(row: ComputedRow): HistoryPoint {
  const { timestamp_ms: timestampMs, stress_score: score, confidence, model_version: model } = row;
  const isWeak = findWeak(row) && { isWeak: true as const };
  return { timestampMs, score, confidence, ...isWeak, model, measured: rowFormats.signals.decode(row.signals) };
}

/** Decoding the response of each row would take most of the time of a long history. */
function findWeak({ response }: Pick<ComputedRow, 'response'>): boolean {
  if (!response.includes('eak":')) return false;
  const { isWeak = false, isPointWeak = isWeak } = rowFormats.response.decode(response);
  return isPointWeak;
}

/** Returns the response of a row. Release 1.0.0 copies `raised` of an earlier reading to a late one, which has another time. */
export function decodeResponse({ response }: Pick<ComputedRow, 'response'>) {
  const decoded = rowFormats.response.decode(response);
  return decoded.raised && decoded.timestampMs !== undefined ? { ...decoded, raised: undefined } : decoded;
}

/** Returns the computed state of a row. `point` is the point of the same row. */
export function toComputed({ response, previous_score }: ComputedRow, point: HistoryPoint): ComputedState {
  const { timestampMs, score, confidence, model, measured } = point;
  const { received = listCategories(measured), isPointWeak: _, ...rest } = decodeResponse({ response });
  const previous = previous_score === null ? {} : { previousScore: previous_score };
  const derived = listTextValues(measured);
  return { timestampMs, score, confidence, received, ...previous, ...(derived && { derived }), ...rest, model };
}

/** Returns the state of the session after the reading. It differs from that of a late reading. */
export function toResult(row: ResultRow): Pick<ComputedState, 'timestampMs' | 'score' | 'confidence' | 'isWeak'> {
  const { timestampMs, score, confidence, isWeak } = rowFormats.response.decode(row.response);
  return {
    timestampMs: timestampMs ?? row.timestamp_ms,
    score: score ?? row.stress_score,
    confidence: confidence ?? row.confidence,
    isWeak,
  };
}

/** The columns of a new reading, in the order of `addReading`. */
export const insertedColumns = ['account', 'position', 'incarnation', 'digest', ...computedColumns, 'state_change'];
const lateColumns = ['account', 'position', 'incarnation', 'timestamp_ms', 'digest'];

/** Adds the values of a reading. */
export function addReading(values: Value[], account: string, reading: StoredReading, position: number): void {
  const { incarnation, digest, timestampMs, point, computed, stateChange } = reading;
  const measured = rowFormats.signals.encode(point.measured);
  const response = encodeResponse(point, computed);
  const change = stateChange ? JSON.stringify(stateChange) : null;
  values.push(account, position, incarnation, digest, timestampMs, point.score, point.confidence, point.model);
  values.push(computed.previousScore ?? null, measured, response, change);
}

/** Leaves out the fields that equal a column, follow from the signals, or belong to the latest state only. */
function encodeResponse(point: HistoryPoint, { points: _, ...computed }: ComputedState): string {
  const { timestampMs, score, confidence, received, previousScore: __, model: ___, derived: ____, ...rest } = computed;
  return rowFormats.response.encode({
    ...(timestampMs !== point.timestampMs && { timestampMs }),
    ...(score !== point.score && { score }),
    ...(confidence !== point.confidence && { confidence }),
    ...(point.isWeak !== rest.isWeak && { isPointWeak: point.isWeak === true }),
    ...(String(received) !== String(listCategories(point.measured)) && { received }),
    ...rest,
    ...(rest.alone && { alone: { ...rest.alone, points: undefined } }),
  });
}

/** Returns the first and the last position of a reading that is not in `late_readings`. */
export function findPositions(timestampMs: number): [earliest: number, latest: number] {
  return [(timestampMs - aheadMaxMs) * positionsPerMs, (timestampMs + latenessMaxMs) * positionsPerMs];
}

/** Returns the earliest timestamp in epoch ms, of a reading with this position that is not in `late_readings`. */
export function computeEarliestTimestamp(position: number): number {
  return position / positionsPerMs - latenessMaxMs;
}
