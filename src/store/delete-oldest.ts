import type { Knex } from 'knex';
import { isMysql } from './rows.js';

/** A batch of expired rows that were deleted. */
export interface DeletedBatch {
  readonly rows: number;
  /** Time of the oldest expired row before the batch, in epoch ms. Absent if no row was expired. */
  readonly oldestMs?: number | undefined;
}

/**
 * Deletes at most `batch` rows with a time (ms) before `beforeMs`, oldest first.
 *
 * Deletes with one statement, so that a row that is updated concurrently is not deleted. Does not list keys, because parsing a
 * thousand conditions takes longer than the deletion.
 */
export async function deleteOldest(
  knex: Knex,
  table: string,
  timeColumn: string,
  beforeMs: number,
  batch: number,
): Promise<DeletedBatch> {
  const expired = () => knex(table).where(timeColumn, '<', beforeMs).orderBy(timeColumn);
  const first = await expired().first(timeColumn);
  const oldestMs = first && Number(first[timeColumn]);
  if (isMysql(knex)) {
    const [{ affectedRows }] = await knex.raw('delete from ?? where ?? < ? order by ?? limit ?', [
      table,
      timeColumn,
      beforeMs,
      timeColumn,
      batch,
    ]);
    return { rows: affectedRows, oldestMs };
  }
  const rows = await knex(table).whereIn('rowid', expired().select('rowid').limit(batch)).delete();
  return { rows, oldestMs };
}
