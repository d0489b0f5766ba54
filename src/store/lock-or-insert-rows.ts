import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import { selectRows } from './select-rows.js';

/** Rows of one account to lock, and the values of a placeholder row. */
export interface RowLock {
  readonly table: string;
  readonly idColumn: string;
  readonly columns: readonly string[];
  readonly placeholder: () => Readonly<Record<string, unknown>>;
}

/**
 * Locks the rows with these ids until the transaction ends. Inserts a placeholder row for each missing id. If two
 * processes lock a new id at the same time, the second process waits for the first and then reads its row.
 */
export async function lockOrInsertRows<Row extends object>(
  transaction: Knex,
  accountId: string,
  ids: readonly string[],
  { table, idColumn, columns, placeholder }: RowLock,
): Promise<Row[]> {
  // SQLite has no row locks, because its transactions run one at a time.
  const lock = isMysql(transaction) ? ' for update' : '';
  const select = (wanted: readonly string[]): Promise<Row[]> => {
    const marks = wanted.map(() => '?').join(', ');
    const where = `account_id = ? and ${idColumn} in (${marks})`;
    const sql = `select ${columns.join(', ')} from ${table} where ${where} order by ${idColumn}${lock}`;
    return selectRows(transaction, { sql, bindings: [accountId, ...wanted] });
  };
  const found: Row[] = [];
  for (let missing = [...ids].sort(); missing.length > 0;) {
    const known = await select(missing);
    found.push(...known);
    const knownIds = new Set(known.map((row) => row[idColumn as keyof Row]));
    missing = missing.filter((id) => !knownIds.has(id as Row[keyof Row]));
    // Ignores every conflict, also one of a placeholder's random key. The next round inserts the row with another
    // random key.
    if (missing.length > 0)
      await transaction(table)
        .insert(missing.map((id) => ({ account_id: accountId, [idColumn]: id, ...placeholder() })))
        .onConflict()
        .ignore();
  }
  return found;
}
