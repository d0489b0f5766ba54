import type { Knex } from 'knex';
import { type AccountChoice, chooseAccounts } from './due-accounts.js';
import { isMysql } from './rows.js';

/** A batch of expired rows that were deleted. */
export interface DeletedBatch {
  readonly rows: number;
  /** Time of the oldest row before the batch, in epoch ms. Absent if none is known. */
  readonly oldestMs?: number | undefined;
  /** True if expired rows may remain although the batch is empty. */
  readonly hasMore?: boolean | undefined;
}

/** Which rows are deleted that are old enough. */
export interface DeletedPart {
  /** Condition of rows that stay. */
  readonly unless?: string | undefined;
  /** Columns of the primary key of a clustered table. */
  readonly key?: readonly string[] | undefined;
  /** Accounts of the rows, by the column `account_id`. Absent: all. */
  readonly accounts?: AccountChoice | undefined;
  /** Time before which no such row exists, in epoch ms. */
  readonly fromMs?: number;
}

/**
 * Deletes at most `batch` rows with a time (ms) before `beforeMs`, oldest first, of a part of the table.
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
  { unless, key = ['rowid'], accounts, fromMs = 0 }: DeletedPart = {},
): Promise<DeletedBatch> {
  const { sql, bindings } = chooseAccounts('account_id', accounts);
  const found = knex(table).where(timeColumn, '>=', fromMs).whereRaw(sql, bindings);
  // Of some accounts only, a search of all rows may find none.
  if (accounts) void found.where(timeColumn, '<', beforeMs);
  const first = await found.orderBy(timeColumn).first(timeColumn);
  const oldestMs = first && Number(first[timeColumn]);
  if (oldestMs === undefined || oldestMs >= beforeMs) return { rows: 0, oldestMs };
  const condition = `${sql}${unless === undefined ? '' : ` and not (${unless})`}`;
  if (isMysql(knex)) {
    const [{ affectedRows }] = await knex.raw(
      `delete from ?? where ?? >= ? and ?? < ? and ${condition} order by ?? limit ?`,
      [table, timeColumn, fromMs, timeColumn, beforeMs, ...bindings, timeColumn, batch],
    );
    return { rows: affectedRows, oldestMs };
  }
  const chosen = knex(table)
    .where(timeColumn, '>=', fromMs)
    .where(timeColumn, '<', beforeMs)
    .whereRaw(condition, bindings)
    .orderBy(timeColumn)
    .select(...key)
    .limit(batch);
  const rows = await knex(table)
    .whereIn([...key], chosen)
    .delete();
  return { rows, oldestMs };
}
