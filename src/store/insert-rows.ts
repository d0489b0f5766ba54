import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import { runStatements, type Statement, type Value } from './run-statements.js';

type Row = Readonly<Record<string, Value>>;

/** Handling of an existing key: the insert updates the `merged` columns of the stored row. */
export interface Conflict {
  readonly key: readonly string[];
  readonly merged: readonly string[];
}

/** Inserts rows that have the same columns, in one statement. Does nothing if there are no rows. */
export async function insertRows(knex: Knex, table: string, rows: readonly Row[], conflict?: Conflict): Promise<void> {
  await runStatements(knex, buildInsert(knex, table, rows, conflict));
}

/**
 * Returns the statement that inserts rows with the same columns. Returns no statement if there are no rows.
 *
 * Does not use the query builder of Knex. For SQLite, it generates a union of selects that takes twice as long to
 * parse, and its merge also assigns the key columns.
 */
export function buildInsert(knex: Knex, table: string, rows: readonly Row[], conflict?: Conflict): Statement[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const values = new Array<string>(rows.length).fill(marks).join(', ');
  // Uses loops for speed, because each reading passes about twenty values through this function.
  const bindings: Value[] = [];
  for (const row of rows) for (const column of columns) bindings.push(row[column] as Value);
  const merging = conflict ? ` ${mergeColumns(knex, conflict)}` : '';
  return [{ sql: `insert into ${table} (${columns.join(', ')}) values ${values}${merging}`, bindings }];
}

function mergeColumns(knex: Knex, { key, merged }: Conflict): string {
  const assign = (column: string) => `${column} = ${isMysql(knex) ? `values(${column})` : `excluded.${column}`}`;
  const assignments = merged.map(assign).join(', ');
  return isMysql(knex)
    ? `on duplicate key update ${assignments}`
    : `on conflict (${key.join(', ')}) do update set ${assignments}`;
}
