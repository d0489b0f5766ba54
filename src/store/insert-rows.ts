import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import { patient } from './mysql-dialect.js';

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/** What becomes of a row whose key is taken: the stored one takes over the `merged` columns. */
export interface Conflict {
  readonly key: readonly string[];
  readonly merged: readonly string[];
}

/**
 * Inserts rows of the same columns in one statement; none do nothing. Within a transaction on MySQL what there is to
 * complain of is said by the next statement that is read, or by the commit. Written out, because Knex spells an insert for
 * SQLite as a union of selects, which costs twice as much to parse, and merges the columns of the key too; and handed to
 * Knex's client, because its builders look at each value and each mark several times over.
 */
export async function insertRows(knex: Knex, table: string, rows: readonly Row[], conflict?: Conflict): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const values = new Array<string>(rows.length).fill(marks).join(', ');
  // Loops, because each reading passes here with some twenty values.
  const bindings: Value[] = [];
  for (const row of rows) for (const column of columns) bindings.push(row[column] as Value);
  const merging = conflict ? ` ${mergeOf(knex, conflict)}` : '';
  await run(knex, `insert into ${table} (${columns.join(', ')}) values ${values}${merging}`, bindings);
}

async function run({ client }: Knex, sql: string, bindings: readonly Value[]): Promise<void> {
  const connection = await client.acquireConnection();
  try {
    await client.query(connection, { sql, bindings, options: patient });
  } finally {
    await client.releaseConnection(connection);
  }
}

function mergeOf(knex: Knex, { key, merged }: Conflict): string {
  const assign = (column: string) => `${column} = ${isMysql(knex) ? `values(${column})` : `excluded.${column}`}`;
  const assignments = merged.map(assign).join(', ');
  return isMysql(knex)
    ? `on duplicate key update ${assignments}`
    : `on conflict (${key.join(', ')}) do update set ${assignments}`;
}
