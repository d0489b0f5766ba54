import type { Knex } from 'knex';

/** Rows of one account to lock, and the values of a placeholder row. */
export interface RowLock {
  readonly table: string;
  readonly idColumn: string;
  readonly columns: readonly string[];
  readonly placeholder: () => Readonly<Record<string, unknown>>;
}

/**
 * Locks the named rows until the transaction ends. Inserts a placeholder row for each missing id. If two processes lock
 * a new id at the same time, the second waits for the first and then reads its result.
 */
export async function lockOrInsertRows<Row extends object>(
  transaction: Knex,
  accountId: string,
  ids: readonly string[],
  { table, idColumn, columns, placeholder }: RowLock,
): Promise<Row[]> {
  const select = (wanted: readonly string[]): Promise<Row[]> =>
    transaction(table)
      .select(...columns)
      .where({ account_id: accountId })
      .whereIn(idColumn, wanted)
      .orderBy(idColumn)
      .forUpdate() as Promise<Row[]>;
  const sorted = [...ids].sort();
  if (sorted.length === 0) return [];
  const known = await select(sorted);
  const knownIds = new Set(known.map((row) => row[idColumn as keyof Row]));
  const missing = sorted.filter((id) => !knownIds.has(id as Row[keyof Row]));
  if (missing.length === 0) return known;
  await transaction(table)
    .insert(missing.map((id) => ({ account_id: accountId, [idColumn]: id, ...placeholder() })))
    .onConflict(['account_id', idColumn])
    .ignore();
  return [...known, ...(await select(missing))];
}
