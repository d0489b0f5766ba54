import Database from 'libsql';
import { listMappings } from './field-map.js';
import type { Item, RecordingFile } from './measurement.js';

/** The columns with times of each table, epoch ms, from the data type helpers of Health Connect in Android's sources. */
const times: Readonly<Record<string, { readonly at: string; readonly until?: string; readonly source?: string }>> = {
  heart_rate_record_series_table: { at: 'epoch_millis' },
  heart_rate_variability_rmssd_record_table: { at: 'time' },
  respiratory_rate_record_table: { at: 'time' },
  steps_record_table: { at: 'start_time', until: 'end_time', source: 'app_info_id' },
};

interface Row {
  readonly at: unknown;
  readonly until: unknown;
  readonly value: unknown;
  readonly source: unknown;
}

/** Reads `health_connect_export.db`, the SQLite database in the ZIP that Health Connect exports. */
export async function* readHealthConnect({ path }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const database = ask(() => new Database(path, { readonly: true, fileMustExist: true }));
  try {
    const tables = listNames(database);
    const mapped = [...listMappings('health-connect').values()].filter(({ name }) =>
      tables.includes(name.split('.')[0] ?? ''),
    );
    if (mapped.length === 0)
      throw new Error('no table of Health Connect: extract health_connect_export.db from the ZIP and pass it');
    for (const mapping of mapped) {
      const [table = '', column = ''] = mapping.name.split('.');
      for (const { at, until, value, source } of readRows(database, table, column))
        yield [
          {
            field: mapping.field,
            atMs: toNumber(at),
            ...(until === null ? {} : { untilMs: toNumber(until), source: String(source) }),
            value: toNumber(value) * mapping.factor,
          },
        ];
    }
  } finally {
    database.close();
  }
}

/** Returns the names of the plain tables. A view or a virtual table of a hostile file could run without end. */
function listNames(database: Database.Database): string[] {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`;
  return ask(() => database.prepare(sql).all() as { name: string }[]).map(({ name }) => name);
}

/** Yields the rows of a table one by one, so that memory is bounded. */
function* readRows(database: Database.Database, table: string, column: string): Generator<Row> {
  const { at, until, source } = times[table] ?? { at: 'time' };
  const sql = `SELECT ${at} AS at, ${until ?? 'NULL'} AS until, ${column} AS value, ${source ?? 'NULL'} AS source
    FROM ${table} ORDER BY rowid`;
  const rows = ask(() => database.prepare(sql).iterate() as IterableIterator<Row>);
  for (let it = ask(() => rows.next()); !it.done; it = ask(() => rows.next())) yield it.value;
}

function ask<T>(query: () => T): T {
  try {
    return query();
  } catch (error) {
    throw new Error(`the SQLite database cannot be read (${(error as Error).message}): export the data again`);
  }
}

/** Returns the number. NaN for a text, a blob or NULL. */
function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
