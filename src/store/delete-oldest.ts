import type { Knex } from 'knex';
import { isMysql } from './rows.js';

/** A batch of expired rows that were deleted. */
export interface DeletedBatch {
  readonly rows: number;
  /** Time of the oldest row before the batch, in epoch ms. Absent if none is known. */
  readonly oldestMs?: number | undefined;
  /** True if expired rows may remain although the batch is empty. */
  readonly hasMore?: boolean | undefined;
}

/**
 * Deletes at most `batch` rows with a time (ms) before `beforeMs`, oldest first, except those that match `unless`.
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
  unless?: string,
): Promise<DeletedBatch> {
  const expired = () => knex(table).where(timeColumn, '<', beforeMs).orderBy(timeColumn);
  const first = await knex(table).where(timeColumn, '>=', 0).orderBy(timeColumn).first(timeColumn);
  const oldestMs = first && Number(first[timeColumn]);
  if (oldestMs === undefined || oldestMs >= beforeMs) return { rows: 0, oldestMs };
  const condition = unless === undefined ? '' : `and not (${unless})`;
  if (isMysql(knex)) {
    const [{ affectedRows }] = await knex.raw(`delete from ?? where ?? < ? ${condition} order by ?? limit ?`, [
      table,
      timeColumn,
      beforeMs,
      timeColumn,
      batch,
    ]);
    return { rows: affectedRows, oldestMs };
  }
  const chosen = expired().whereRaw(`1 = 1 ${condition}`).select('rowid').limit(batch);
  const rows = await knex(table).whereIn('rowid', chosen).delete();
  return { rows, oldestMs };
}
