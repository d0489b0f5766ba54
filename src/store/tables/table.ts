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
  };
  /** Columns of the session. Rows without a `subject_id` get that of their session, if a later reading names it. */
  readonly bindsBy?: ReadonlyArray<'session_id' | 'incarnation'>;
  /** Operations whose responses contain data of the table. */
  readonly readBy: readonly string[];
  /** Content of the columns, by names with spaces between them. */
  readonly about: Readonly<Record<string, string>>;
  /** The columns and the primary key. Indexes are separate because MySQL requires one statement per index. */
  readonly columns: (table: Knex.CreateTableBuilder) => void;
  /** Columns of each index, by index name. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  readonly unique?: Readonly<Record<string, readonly string[]>>;
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
}

/** Tables by name. */
export type Tables = Readonly<Record<string, TableDefinition>>;

/** Creates the table and its indexes if they do not exist. Idempotent. */
export async function createTable(knex: Knex, name: string, definition: TableDefinition): Promise<void> {
  const { columns, indexes = {}, unique = {}, isClustered = false } = definition;
  if (!(await knex.schema.hasTable(name))) {
    const suffix = isClustered && !isMysql(knex) ? ' without rowid' : '';
    for (const { sql } of knex.schema.createTable(name, columns).toSQL()) await knex.raw(sql + suffix);
  }
  const existing = await indexNames(knex, name);
  const add = async (kind: string, all: Readonly<Record<string, readonly string[]>>) => {
    for (const [index, on] of Object.entries(all))
      if (!existing.has(index)) await knex.raw(`create ${kind} ${index} on ${name} (${on.join(', ')})`);
  };
  await add('index', indexes);
  await add('unique index', unique);
}

async function indexNames(knex: Knex, table: string): Promise<Set<string>> {
  if (isMysql(knex)) {
    const statistics = knex('information_schema.statistics').where({ table_name: table });
    return new Set(await statistics.whereRaw('table_schema = database()').pluck('index_name'));
  }
  return new Set(await knex('sqlite_master').where({ type: 'index', tbl_name: table }).pluck('name'));
}

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
