import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import { runStatements, type Statement, type Value } from './run-statements.js';

type Row = Readonly<Record<string, Value>>;

/** What becomes of a row whose key is taken: the stored one takes over the `merged` columns. */
export interface Conflict {
  readonly key: readonly string[];
  readonly merged: readonly string[];
}

/** Inserts rows of the same columns in one statement. Resolves when they are inserted; does nothing without rows. */
export async function insertRows(knex: Knex, table: string, rows: readonly Row[], conflict?: Conflict): Promise<void> {
  await runStatements(knex, insertOf(knex, table, rows, conflict));
}

/**
 * Returns the statement that inserts rows of the same columns; none without rows. Does not use Knex's builder: for SQLite
 * it writes a union of selects, which takes twice as long to parse, and its merge also assigns the columns of the key.
 */
export function insertOf(knex: Knex, table: string, rows: readonly Row[], conflict?: Conflict): Statement[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const values = new Array<string>(rows.length).fill(marks).join(', ');
  // Loops, because each reading passes here with some twenty values.
  const bindings: Value[] = [];
  for (const row of rows) for (const column of columns) bindings.push(row[column] as Value);
  const merging = conflict ? ` ${mergeOf(knex, conflict)}` : '';
  return [{ sql: `insert into ${table} (${columns.join(', ')}) values ${values}${merging}`, bindings }];
}

function mergeOf(knex: Knex, { key, merged }: Conflict): string {
  const assign = (column: string) => `${column} = ${isMysql(knex) ? `values(${column})` : `excluded.${column}`}`;
  const assignments = merged.map(assign).join(', ');
  return isMysql(knex)
    ? `on duplicate key update ${assignments}`
    : `on conflict (${key.join(', ')}) do update set ${assignments}`;
}
