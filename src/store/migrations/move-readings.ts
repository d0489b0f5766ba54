import type { Knex } from 'knex';
import type { ComputedState } from '../../domain/session.js';
import { insertRows } from '../insert-rows.js';
import { digestLength, toAccountKey, toReadingRows } from '../reading-row.js';
import { rowFormats } from '../row-formats.js';

/** Number of readings per transaction. A small number holds the locks for milliseconds. */
const batchRows = 500;

interface EarlierRow {
  readonly account_id: string;
  readonly session_id: string;
  readonly incarnation: string;
  readonly timestamp_ms: number;
  readonly digest: string;
  readonly stress_score: number;
  readonly confidence: number;
  readonly model_version: number;
  readonly signals: string | null;
  readonly response: string;
  readonly position: number;
  readonly state_change: string | null;
}

const key = ['account_id', 'session_id', 'incarnation', 'timestamp_ms', 'digest'] as const;

/**
 * Moves some readings from the table of earlier versions to the present tables. Returns the number of moved readings.
 * Moves instead of copying, so that an erasure finds every copy.
 */
export async function moveReadings(transaction: Knex): Promise<number> {
  const rows: EarlierRow[] = await transaction('readings')
    .orderBy([...key])
    .limit(batchRows)
    .forUpdate();
  const moved = rows.map(toPresent);
  await insertRows(
    transaction,
    'session_readings',
    moved.map(({ row }) => row),
  );
  await insertRows(
    transaction,
    'late_readings',
    moved.flatMap(({ late }) => late),
  );
  for (const account_id of new Set(rows.map((row) => row.account_id))) {
    const positions = rows.filter((row) => row.account_id === account_id).map(({ position }) => position);
    await transaction('readings').where({ account_id }).whereIn('position', positions).delete();
  }
  return rows.length;
}

function toPresent(row: EarlierRow) {
  const { account_id, incarnation, timestamp_ms: timestampMs, stress_score: score, confidence } = row;
  const point = {
    timestampMs,
    score,
    confidence,
    model: row.model_version,
    measured: row.signals === null ? {} : rowFormats.signals.decode(row.signals),
  };
  const computed = rowFormats.response.decode(row.response) as ComputedState;
  const digest = row.digest.slice(0, digestLength);
  const stateChange = row.state_change === null ? undefined : JSON.parse(row.state_change);
  const reading = { sessionId: row.session_id, incarnation, timestampMs, digest, point, computed, stateChange };
  return toReadingRows(toAccountKey(account_id), reading, row.position);
}
