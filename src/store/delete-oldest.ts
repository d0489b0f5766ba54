import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';

/**
 * Deletes at most `batch` rows whose instant (ms) is before `beforeMs`, the oldest first, by the index on that column;
 * returns how many. One statement, so that a row which is touched meanwhile stays; without their keys, for a thousand
 * conditions take longer to parse than the rows to delete.
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
