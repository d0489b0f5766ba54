import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';

/**
 * Deletes at most `batch` rows with a time (ms) before `beforeMs`, oldest first. Returns their number. Uses one
 * statement, so that a row that is updated concurrently stays. Does not list keys, because parsing a thousand
 * conditions takes longer than the deletion.
 */
export async function deleteOldest(
  knex: Knex,
  table: string,
  instant: string,
  beforeMs: number,
  batch: number,
): Promise<number> {
  if (isMysql(knex)) {
    const [{ affectedRows }] = await knex.raw('delete from ?? where ?? < ? order by ?? limit ?', [
      table,
      instant,
      beforeMs,
      instant,
      batch,
    ]);
    return affectedRows;
  }
  const oldest = knex(table).select('rowid').where(instant, '<', beforeMs).orderBy(instant).limit(batch);
  return knex(table).whereIn('rowid', oldest).delete();
}
