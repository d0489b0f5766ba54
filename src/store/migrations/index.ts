import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { tables } from '../tables/index.js';
import { createTable } from '../tables/table.js';

export interface Migration {
  readonly name: string;
  readonly run: (knex: Knex) => Promise<void>;
  /**
   * True if earlier versions cannot read and write the schema afterwards: they then refuse it. A new table, index or
   * column with a default breaks nothing. Split other changes over two releases: the first one reads and writes both
   * forms.
   */
  readonly breaksEarlier?: true;
}

/**
 * Increase this number when stored JSON changes so that earlier builds would misread it. They then refuse the database.
 */
const edition = 1;

/**
 * All migrations, in order. The database stores their names. MySQL commits each schema statement separately. Each
 * migration is therefore idempotent, so that it can run again after a crash.
 *
 * Until 1.0.0, an edit of a table changes the name of the initial schema, so that a build refuses a database of another
 * build. From 1.0.0 on, the name is fixed, and a change is a new migration.
 */
export const migrations: readonly Migration[] = [{ name: `initial-${digestSchema()}`, run: createTables }];

async function createTables(database: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(tables)) await createTable(database, name, definition);
}

/**
 * Returns a digest of the tables. Records the calls that define columns instead of the statements, so that a start on an
 * existing database builds no statements.
 */
function digestSchema(): string {
  const definitions = Object.entries(tables).map(([name, { columns, indexes, unique, isClustered }]) => {
    const calls: unknown[] = [];
    columns(recordCalls(calls) as Knex.CreateTableBuilder);
    return [name, calls, { indexes, unique, isClustered }];
  });
  return createHash('sha256')
    .update(JSON.stringify([edition, definitions]))
    .digest('hex')
    .slice(0, 12);
}

/** Returns an object on which any method may be called. Each one adds its name and arguments, and returns the object. */
function recordCalls(calls: unknown[]): object {
  const get =
    (_: object, name: string | symbol, recorder: object) =>
    (...args: unknown[]) => {
      calls.push([name, args]);
      return recorder;
    };
  return new Proxy({}, { get });
}
