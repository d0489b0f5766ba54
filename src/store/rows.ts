import type { Knex } from 'knex';
import type { ReadScope } from './scope.js';
import { hasOtherWriters } from './server-facts.js';

/** Returns true for MySQL, false for SQLite. Used where the SQL of the two databases differs. */
export function isMysql(knex: Knex): boolean {
  return knex.client.driverName === 'mysql2';
}

export type Value = string | number | null;

/** A statement with one `?` per value. */
export interface Statement {
  readonly sql: string;
  readonly bindings: readonly Value[];
}

/** Maximum number of values per packet of several statements. */
const valuesMax = 8_192;
/**
 * Maximum number of characters per packet of several statements, far less than `max_allowed_packet` of 16 MB. The server
 * closes a connection that exceeds it, which looks like an outage.
 */
const charactersMax = 2_000_000;

/**
 * Runs the statements in order. Resolves with the rows of the last one. Must be called in a transaction. `isLast`: the
 * transaction commits with them, so no statement and no error may follow.
 *
 * MySQL gets the statements in one packet, which saves a round trip per statement. It stops at the first error.
 *
 * A Galera node gets them one by one. When it aborts a transaction in the middle of a packet, because another node has
 * committed a change of the same rows, it can run and commit the rest of the packet (MariaDB 10.11, decision 019).
 */
export async function runStatements(
  { knex }: Pick<ReadScope, 'knex'>,
  statements: readonly Statement[],
  isLast = false,
): Promise<readonly object[]> {
  return (await runAll({ knex }, statements, isLast)).at(-1) ?? [];
}

/** Does the same. Resolves with the rows of each statement. */
export async function runAll(
  { knex }: Pick<ReadScope, 'knex'>,
  statements: readonly Statement[],
  isLast = false,
): Promise<Array<readonly object[]>> {
  const packets = isPacked(knex) ? splitPackets(statements) : statements.map((it) => [it]);
  const results = [];
  for (const packet of packets) {
    const rows = await run(knex, joinStatements(packet), isLast && packet === packets.at(-1));
    // The driver returns one result without a list.
    if (packet.length === 1) results.push(rows);
    else results.push(...(rows as Array<readonly object[]>));
  }
  return results;
}

/** Returns true if the database gets several statements in one packet. The caller must have a connection. */
export function isPacked(knex: Knex): boolean {
  return isMysql(knex) && !hasOtherWriters(knex);
}

function joinStatements(packet: readonly Statement[]): Statement {
  const [only] = packet;
  if (only && packet.length === 1) return only;
  // A loop, because each group of readings has thousands of values.
  const bindings: Value[] = [];
  for (const statement of packet) for (const value of statement.bindings) bindings.push(value);
  return { sql: packet.map((it) => it.sql).join('; '), bindings };
}

/** Joins the statements into packets of at most `valuesMax` values and `charactersMax` characters. */
function splitPackets(statements: readonly Statement[]): Statement[][] {
  const packets: Statement[][] = [];
  let values = Infinity;
  let characters = 0;
  for (const statement of statements) {
    const length = countCharacters(statement);
    values += statement.bindings.length;
    characters += length;
    if (values <= valuesMax && characters <= charactersMax) packets.at(-1)?.push(statement);
    else {
      packets.push([statement]);
      values = statement.bindings.length;
      characters = length;
    }
  }
  return packets;
}

function countCharacters({ sql, bindings }: Statement): number {
  let characters = sql.length;
  for (const value of bindings) if (typeof value === 'string') characters += value.length;
  return characters;
}

/** Runs a statement without the query builder of Knex, which inspects every value several times. */
async function run(knex: Knex, statement: Statement, isLast = false): Promise<readonly object[]> {
  const { client } = knex;
  const connection = await client.acquireConnection();
  try {
    const { response } = await client.query(connection, { ...statement, isLast });
    return isMysql(knex) ? response[0] : response;
  } catch (error) {
    // Knex begins the message with the statement. With hundreds of rows, the statement makes a log unreadable.
    (error as Error).message = abridge((error as Error).message);
    throw error;
  } finally {
    await client.releaseConnection(connection);
  }
}

type Row = Readonly<Record<string, Value>>;

/** Handling of an existing key: the insert updates the `merged` columns of the stored row, or adds to them. */
export interface Conflict {
  readonly key: readonly string[];
  readonly merged: readonly string[];
  readonly adds?: boolean;
  /** Columns that keep the lower of the two values. Null is higher than any value. */
  readonly lowered?: readonly string[];
}

/** Maximum number of rows per statement. */
const rowsMax = 500;

/** Inserts rows that have the same columns. Must be called in a transaction if there are more than `rowsMax`. */
export async function insertRows(knex: Knex, table: string, rows: readonly Row[], conflict?: Conflict): Promise<void> {
  const statements = [...chunksOf(rows)].flatMap((chunk) => buildInsert(knex, table, chunk, conflict));
  await runStatements({ knex }, statements);
}

/** Yields the items in arrays of at most `max`. */
export function* chunksOf<T>(items: readonly T[], max = rowsMax): Generator<T[]> {
  for (let from = 0; from < items.length; from += max) yield items.slice(from, from + max);
}

/** Returns the statement that inserts rows with the same columns. Returns no statement if there are no rows. */
export function buildInsert(knex: Knex, table: string, rows: readonly Row[], conflict?: Conflict): Statement[] {
  const columns = Object.keys(rows[0] ?? {});
  const values: Value[] = [];
  for (const row of rows) for (const column of columns) values.push(row[column] as Value);
  return buildFlatInsert(knex, { table, columns }, values, conflict);
}

/** The columns of rows to insert. `markOf` returns an expression with one `?`, which is the value of a column. */
export interface FlatRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly markOf?: (column: string) => string;
}

/**
 * Does the same for the values of all rows, each in the order of the columns. Used for the rows of each reading, which need
 * no object.
 *
 * Does not use the query builder of Knex. For SQLite, it generates a union of selects that takes twice as long to
 * parse, and its merge also assigns the key columns.
 */
export function buildFlatInsert(
  knex: Knex,
  { table, columns, markOf = () => '?' }: FlatRows,
  bindings: readonly Value[],
  conflict?: Conflict,
): Statement[] {
  if (bindings.length === 0) return [];
  const marks = `(${columns.map(markOf).join(', ')})`;
  const values = marks + `, ${marks}`.repeat(bindings.length / columns.length - 1);
  const merging = conflict ? ` ${mergeColumns(knex, conflict)}` : '';
  return [{ sql: `insert into ${table} (${columns.join(', ')}) values ${values}${merging}`, bindings }];
}

function mergeColumns(knex: Knex, { key, merged, adds, lowered = [] }: Conflict): string {
  const added = (column: string) => (isMysql(knex) ? `values(${column})` : `excluded.${column}`);
  const least = isMysql(knex) ? 'least' : 'min';
  const assignments = [
    ...merged.map((it) => `${it} = ${adds ? `${it} + ` : ''}${added(it)}`),
    ...lowered.map((it) => `${it} = coalesce(${least}(${it}, ${added(it)}), ${it}, ${added(it)})`),
  ].join(', ');
  return isMysql(knex)
    ? `on duplicate key update ${assignments}`
    : `on conflict (${key.join(', ')}) do update set ${assignments}`;
}

/**
 * Returns the rows of a query. Used for the queries of each group of readings, because the query builder of Knex takes
 * longer to build such a query than the database takes to run it.
 */
export async function selectRows<Row extends object>(knex: Knex, statement: Statement): Promise<Row[]> {
  return (await run(knex, statement)) as Row[];
}

/**
 * Returns the rows of a query that selects the first row after a value of a column, for all values of the column. Skips
 * from value to value in the index of the column.
 */
export async function skipThrough<Row extends object>(
  knex: Knex,
  sql: string,
  valueOf: (row: Row) => string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ''; ;) {
    const [row] = await selectRows<Row>(knex, { sql, bindings: [after] });
    if (!row) return rows;
    rows.push(row);
    after = valueOf(row);
  }
}

/** Rows of one account to lock, and the values of a placeholder row. */
export interface RowLock {
  readonly table: string;
  readonly idColumn: string;
  readonly columns: readonly string[];
  readonly placeholder: () => Readonly<Record<string, unknown>>;
}

/** Returns the statement that locks and returns the rows with these ids until the transaction ends. */
export function buildLock(
  knex: Knex,
  accountId: string,
  ids: readonly string[],
  { table, idColumn, columns }: RowLock,
): Statement {
  const marks = ids.map(() => '?').join(', ');
  const where = `account_id = ? and ${idColumn} in (${marks})`;
  const sql = `select ${columns.join(', ')} from ${table} where ${where} order by ${idColumn}${forUpdate(knex)}`;
  return { sql, bindings: [accountId, ...[...ids].sort()] };
}

/** Returns the end of a select that locks rows. SQLite has no row locks, because its transactions run one at a time. */
export function forUpdate(knex: Knex): string {
  return isMysql(knex) ? ' for update' : '';
}

/**
 * Locks the rows with these ids until the transaction ends. Inserts a placeholder row for each missing id. If two
 * processes lock a new id at the same time, the second process waits for the first and then reads its row. `locked`: the
 * rows of `buildLock`, if it has already run.
 */
export async function lockOrInsertRows<Row extends object>(
  transaction: Knex,
  accountId: string,
  ids: readonly string[],
  lock: RowLock,
  locked: readonly Row[] = [],
): Promise<Row[]> {
  const { table, idColumn, placeholder } = lock;
  const without = (all: readonly string[], rows: readonly Row[]) => {
    const knownIds = new Set(rows.map((row) => row[idColumn as keyof Row]));
    return all.filter((id) => !knownIds.has(id as Row[keyof Row]));
  };
  const found = [...locked];
  for (let missing = without([...ids].sort(), found); missing.length > 0;) {
    const known = await selectRows<Row>(transaction, buildLock(transaction, accountId, missing, lock));
    found.push(...known);
    missing = without(missing, known);
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

/**
 * Selects the rows with these keys of two columns. Uses equalities for a single key, because MariaDB scans the whole
 * index for a list of one pair.
 */
export function selectKeys(
  query: Knex.QueryBuilder,
  [one, other]: readonly [string, string],
  keys: ReadonlyArray<[string, string | number]>,
): Knex.QueryBuilder {
  const [only, ...more] = keys;
  if (only && more.length === 0) return query.where({ [one]: only[0], [other]: only[1] });
  return query.whereIn([one, other], keys);
}

/** Matches the placeholders of one row and their repetitions for further rows. */
const repeatedRows = /(\((?:@first \+ )?(?:\?, (?:@first \+ )?)*\?\))(?:, \1)+/g;

const indexHints = / (?:force index \(\w+\)|indexed by \w+)/g;

/**
 * Returns a statement without the names of indexes if `error` says that one of them is missing. Without the index, the
 * statement is slow. Undefined for other errors, and for several statements, some of which have run already.
 */
export function dropIndexHints(sql: string, error: unknown): string | undefined {
  const { code, message } = error as { code?: string; message: string };
  const isMissing = code === 'ER_KEY_DOES_NOT_EXITS' || message.startsWith('no such index: ');
  const bare = sql.replaceAll(indexHints, '');
  return isMissing && bare !== sql && !sql.includes(';') ? bare : undefined;
}

/** Shortens a statement for logs. For a multi-row insert, keeps the placeholders of the first row only. */
export function abridge(sql: string): string {
  return sql.replace(repeatedRows, '$1, …');
}

/** Returns the number of rows of each table. */
export async function countRows(knex: Knex, tables: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table, Number((await knex(table).count({ count: '*' }))[0]?.['count']));
  return counts;
}
