import { timestamps } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { Point } from '../score/history.js';
import { derivedFromText, listCategories } from '../score/signals.js';
import { rowFormats } from './row-formats.js';
import { positionsPerMs } from './stream-positions.js';
import type { ComputedState } from '../score/remembered.js';

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

/** Number of hex characters of a digest. The digests of one session and timestamp must differ, so 48 bits suffice. */
export const digestLength = 12;
/** Maximum time from the timestamp of a reading to its acceptance, ms. Later readings are in `late_readings`. */
const latenessMaxMs = 60_000;
const aheadMaxMs = timestamps.max_ahead_seconds * 1_000;

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

/** The columns that contain the timestamp and the score of a session after a reading. */
export type ResultRow = Pick<ComputedRow, 'timestamp_ms' | 'stress_score' | 'response'>;

/** Returns the key of an account in `session_readings`. */
export function toAccountKey(accountId: string): string {
  return accountId.slice(4, 16);
}

/** Returns the point of a row. */
export function toPoint(row: ComputedRow): Point {
  const { timestamp_ms: timestampMs, stress_score: score, confidence, model_version: model } = row;
  return { timestampMs, score, confidence, model, measured: rowFormats.signals.decode(row.signals) };
}

/** Returns the point of a row with the topics of the reading. */
export function toPointWithTopics(row: ComputedRow): Point {
  // Few readings have topics. Decoding the response of each reading would take most of the time of a long history.
  if (!row.response.includes('"topics":["')) return toPoint(row);
  const { topics } = rowFormats.response.decode(row.response);
  return { ...toPoint(row), ...(topics && { topics }) };
}

/** Returns the computed state of a row. `point` is the point of the same row. */
export function toComputed({ response, previous_score }: ComputedRow, point: Point): ComputedState {
  const { timestampMs, score, confidence, model, measured } = point;
  const { received = listCategories(measured), ...rest } = rowFormats.response.decode(response);
  const previous = previous_score === null ? {} : { previousScore: previous_score };
  const derived = derivedFromText(measured);
  return { timestampMs, score, confidence, received, ...previous, ...(derived && { derived }), ...rest, model };
}

/** Returns the timestamp and the score of the session after the reading. They differ from those of a late reading. */
export function toResult({ response, timestamp_ms, stress_score }: ResultRow): { timestampMs: number; score: number } {
  const { timestampMs = timestamp_ms, score = stress_score } = rowFormats.response.decode(response);
  return { timestampMs, score };
}

/** Returns the row of a reading, and its row in `late_readings` if it has one. */
export function toReadingRows(account: string, reading: StoredReading, position: number) {
  const { incarnation, timestampMs: timestamp_ms, digest, point, computed, stateChange } = reading;
  const row = {
    account,
    position,
    incarnation,
    timestamp_ms,
    digest,
    stress_score: point.score,
    confidence: point.confidence,
    model_version: point.model,
    previous_score: computed.previousScore ?? null,
    signals: rowFormats.signals.encode(point.measured),
    response: encodeResponse(point, computed),
    state_change: stateChange ? JSON.stringify(stateChange) : null,
  };
  const [earliest, latest] = findPositions(timestamp_ms);
  const isLate = position < earliest || position > latest;
  return { row, late: isLate ? [{ account, position, incarnation, timestamp_ms, digest }] : [] };
}

/** Leaves out the fields that equal a column or follow from the signals. */
function encodeResponse(point: Point, computed: ComputedState): string {
  const { timestampMs, score, confidence, received, previousScore: _, model: __, derived: ___, ...rest } = computed;
  return rowFormats.response.encode({
    ...(timestampMs !== point.timestampMs && { timestampMs }),
    ...(score !== point.score && { score }),
    ...(confidence !== point.confidence && { confidence }),
    ...(String(received) !== String(listCategories(point.measured)) && { received }),
    ...rest,
  });
}

/** Returns the first and the last position of a reading that is not in `late_readings`. */
export function findPositions(timestampMs: number): [earliest: number, latest: number] {
  return [(timestampMs - aheadMaxMs) * positionsPerMs, (timestampMs + latenessMaxMs) * positionsPerMs];
}

/** Returns the earliest timestamp, epoch ms, of a reading with this position that is not in `late_readings`. */
export function earliestTimestamp(position: number): number {
  return position / positionsPerMs - latenessMaxMs;
}
