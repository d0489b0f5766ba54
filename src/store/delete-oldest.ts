import type { Knex } from 'knex';
import { isMysql } from './rows.js';

/**
 * Deletes at most `batch` rows with a time (ms) before `beforeMs`, oldest first. Returns the number of deleted rows.
 *
 * Uses one statement, so that a row that is updated concurrently is not deleted. Does not list keys, because parsing a
 * thousand conditions takes longer than the deletion.
 */
export async function deleteOldest(
  knex: Knex,
  table: string,
  timeColumn: string,
  beforeMs: number,
  batch: number,
): Promise<number> {
  if (isMysql(knex)) {
    const [{ affectedRows }] = await knex.raw('delete from ?? where ?? < ? order by ?? limit ?', [
      table,
      timeColumn,
      beforeMs,
      timeColumn,
      batch,
    ]);
    return affectedRows;
  }
  const oldest = knex(table).select('rowid').where(timeColumn, '<', beforeMs).orderBy(timeColumn).limit(batch);
  return knex(table).whereIn('rowid', oldest).delete();
}
