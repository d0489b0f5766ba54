import type { Knex } from 'knex';
import { isMysql } from '../rows.js';

/**
 * Everything that the service knows about a table: what it contains, whose data it is, how long a row is stored, how an
 * erasure deletes it, and who reads it. Purge, erasure, restore and the data map follow from it.
 */
export interface TableDefinition {
  readonly content: string;
  /** The content in words for the people concerned. Absent: part of another table, or no content of its own. */
  readonly notice?: string;
  /** Whom a row identifies. */
  readonly identifies: 'person' | 'pseudonym' | 'nobody';
  /** The setting of the retention, or a sentence if none limits it. */
  readonly retention: string;
  /** Absent if no row expires by its age. */
  readonly expiry?: Expiry;
  /** What `DELETE /v1/subjects/{subject_id}` does to the rows of the person, for the data map. */
  readonly erasure: string;
  /** Set if the rows of a person have its `subject_id`, and an erasure deletes exactly these. */
  readonly erasesBySubject?: {
    /** The rest of the key. An erasure deletes rows in batches first, if a person may have many. */
    readonly batchKey?: string;
    /**
     * SQL of the time of a row, in epoch ms. Required of a table that 1.0.0 does not know: the purge deletes rows that are
     * not newer than an erasure of their person.
     */
    readonly time?: string;
  };
  /** Columns of the session. Rows without a `subject_id` get that of their session, if a later reading names it. */
  readonly bindsBy?: ReadonlyArray<'session_id' | 'incarnation'>;
  /** Operations whose responses contain data of the table. */
  readonly readBy: readonly string[];
  /** Content of all columns, by names with spaces between them. */
  readonly about: Readonly<Record<string, string>>;
  /** The columns and the primary key. Indexes are separate because MySQL requires one statement per index. */
  readonly columns: (table: Knex.CreateTableBuilder) => void;
  /** Columns of each index, by index name. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  /**
   * Columns of a later release, by name, nullable or with a default. They are added to new databases as to existing ones, so that SQLite
   * prints the same schema for both.
   */
  readonly added?: Readonly<Record<string, (table: Knex.CreateTableBuilder) => void>>;
  /** Set if each row has a keyed code in `code`: the primary key and the other columns that it covers. */
  readonly coded?: { readonly key: readonly string[]; readonly fields: readonly string[] };
  /**
   * True to store rows in primary key order, as InnoDB always does (SQLite: WITHOUT ROWID). Rows with the same key
   * prefix then share pages.
   */
  readonly isClustered?: boolean;
}

/** How rows expire. A purge deletes them in batches, oldest first. */
export interface Expiry {
  /** Column with the time of the row, in epoch ms. */
  readonly column: string;
  /** Name of the rows in the output of `purge`. Absent if it does not count them. */
  readonly kind?: string;
  /** Age at which a row expires, in ms. Absent: the setting in `retention`. */
  readonly maxAgeMs?: number;
  /** How much longer a row is stored in ms. */
  readonly graceMs?: number;
  /** Condition of expired rows with one `?` for the time. Absent: the column is less than the time. */
  readonly condition?: string;
  /** Columns of the primary key. Required of a clustered table, whose rows have no rowid on SQLite. */
  readonly key?: readonly string[];
  /** Condition of rows that a purge leaves for later. */
  readonly unless?: string;
}

/** Tables by name. */
export type Tables = Readonly<Record<string, TableDefinition>>;

/** Returns the names of the columns. */
export function listColumns({ about }: Pick<TableDefinition, 'about'>): string[] {
  return Object.keys(about).flatMap((names) => names.split(' '));
}

type Parts = ReadonlySet<string>;

/** Creates the table with its columns and indexes, or what is missing of it. Idempotent. */
export async function createTable(knex: Knex, name: string, definition: TableDefinition, parts?: Parts): Promise<void> {
  const stored = parts ?? (await readParts(knex));
  const added = { ...definition.added, ...(definition.coded && { code: addCode }) };
  if (!stored.has(`table ${name}`)) {
    const suffix = definition.isClustered && !isMysql(knex) ? ' without rowid' : '';
    for (const { sql } of knex.schema.createTable(name, definition.columns).toSQL()) await knex.raw(sql + suffix);
  } else
    for (const column of listColumns(definition))
      if (!stored.has(`column ${name}.${column}`) && !(column in added))
        await addColumn(knex, name, column, definition);
  for (const [column, add] of Object.entries(added))
    if (!stored.has(`column ${name}.${column}`)) await knex.schema.alterTable(name, add);
  for (const { name: index, kind, on, part } of listIndexes(name, definition)) {
    if (stored.has(part)) continue;
    const hasOtherColumns = [...stored].some((it) => it.includes(`index ${name}.${index} (`));
    if (hasOtherColumns) await knex.raw(`drop index ${index}${isMysql(knex) ? ` on ${name}` : ''}`);
    await knex.raw(`create ${kind} ${index} on ${name} (${on.join(', ')})`);
  }
}

const addCode = (table: Knex.CreateTableBuilder) => void addFixedAscii(table, 'code', 32).nullable();

/** Adds a column. Rejects if the table has rows, and the column requires a value. */
async function addColumn(knex: Knex, table: string, column: string, { columns }: TableDefinition): Promise<void> {
  const [create] = knex.schema.createTable(table, columns).toSQL();
  const [sql] = new RegExp(`\`${column}\` [^\`]+(?=, [\`pc]|\\)$)`).exec(create?.sql ?? '') ?? [''];
  if (/ not null(?! default)/.test(sql) && (await knex(table).first()))
    throw new Error(`the values of the column ${table}.${column} are lost: restore a backup`);
  await knex.raw(`alter table ${table} add ${sql}`);
}

/** Returns the columns and indexes of a table, in the form of `readParts`. */
export function listParts(name: string, definition: TableDefinition): string[] {
  const columns = listColumns(definition).map((it) => `column ${name}.${it}`);
  return [...columns, ...listIndexes(name, definition).map(({ part }) => part)];
}

function listIndexes(table: string, { indexes = {}, unique = {} }: TableDefinition) {
  const list = (kind: string, all: typeof indexes) =>
    Object.entries(all).map(([name, on]) => ({ name, kind, on, part: `${kind} ${table}.${name} (${on.join(', ')})` }));
  return [...list('index', indexes), ...list('unique index', unique)];
}

/** Returns the tables, columns and indexes of a database, e.g. `table t`, `column t.a`, `unique index t.i (a, b)`. */
export async function readParts(knex: Knex): Promise<Parts> {
  const found = await knex.raw(isMysql(knex) ? mysqlParts : sqliteParts);
  const rows: Array<{ readonly part: string }> = isMysql(knex) ? found[0] : found;
  return new Set(rows.map(({ part }) => part));
}

const sqliteParts = `
  select 'table ' || name as part from sqlite_master where type = 'table'
  union all select 'column ' || m.name || '.' || c.name from sqlite_master m join pragma_table_info(m.name) c
  union all select iif(i."unique", 'unique index ', 'index ') || m.name || '.' || i.name || ' ('
    || group_concat(c.name, ', ' order by c.seqno) || ')'
  from sqlite_master m join pragma_index_list(m.name) i join pragma_index_info(i.name) c group by m.name, i.name`;

const mysqlParts = `
  select concat('table ', table_name) as part from information_schema.tables where table_schema = database()
  union all select concat('column ', table_name, '.', column_name) from information_schema.columns
    where table_schema = database()
  union all select concat(if(non_unique, 'index ', 'unique index '), table_name, '.', index_name, ' (',
    group_concat(column_name order by seq_in_index separator ', '), ')')
  from information_schema.statistics where table_schema = database() group by table_name, index_name, non_unique`;

/** Adds an ASCII column, which is compared byte by byte. MySQL's default collations ignore case and trailing spaces. */
export function addAscii(table: Knex.CreateTableBuilder, name: string, lengthMax: number): Knex.ColumnBuilder {
  return table.string(name, lengthMax).collate('ascii_bin');
}

/** Adds an ASCII column of a fixed length, e.g. for hex digits. */
export function addFixedAscii(table: Knex.CreateTableBuilder, name: string, length: number): Knex.ColumnBuilder {
  return table.specificType(name, `char(${length})`).collate('ascii_bin');
}

/** Adds a column for JSON that contains only ASCII: ids, labels and numbers. At most 65,535 bytes on MySQL. */
export function addAsciiJson(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder {
  return table.text(name).collate('ascii_bin');
}

/** Adds a column for external text or JSON with any characters, e.g. URLs and responses of receivers. */
export function addAnyText(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder {
  return table.text(name).collate('utf8mb4_bin');
}
