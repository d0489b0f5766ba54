import Database from 'libsql';
import { listMappings } from '../../recordings/field-map.js';
import { type Item, NotReadError } from '../../recordings/measurement.js';
import { toSleep } from '../../recordings/sources/source.js';
import { toExercise, healthConnectSports, jetpackSports } from '../../recordings/sports.js';

/** Columns of a table, from the data type helpers of Health Connect in Android's sources. Times are epoch ms. */
interface Columns {
  readonly at: string;
  readonly until?: string;
  /** The table with the device of a row, if it is another one. */
  readonly parent?: string;
}

const columns: Readonly<Record<string, Columns>> = {
  heart_rate_record_series_table: { at: 'epoch_millis', parent: 'heart_rate_record_table' },
  heart_rate_variability_rmssd_record_table: { at: 'time' },
  respiratory_rate_record_table: { at: 'time' },
  steps_record_table: { at: 'start_time', until: 'end_time' },
};

/** Types of devices by number. */
const deviceTypes = ['', 'watch', 'phone', 'scale', 'ring', 'headset', 'fitness band', 'chest strap', 'display'];

/** Reads `health_connect_export.db`, the SQLite database in the ZIP that Health Connect exports. */
export function* readHealthConnect(path: string): Generator<readonly Item[]> {
  const database = ask(() => new Database(path, { readonly: true, fileMustExist: true }));
  try {
    const tables = listTables(database);
    const mapped = [...listMappings('health-connect').values()].filter(({ name }) =>
      tables.includes(name.split('.')[0] ?? ''),
    );
    if (mapped.length === 0) throw new NotReadError('a SQLite database without the tables of Health Connect');
    if (tables.includes('exercise_session_record_table')) yield* readWorkouts(database);
    if (tables.includes('sleep_session_record_table'))
      for (const row of readRows(database, 'SELECT * FROM sleep_session_record_table ORDER BY rowid'))
        yield [toSleep(toNumber(row['start_time']), toNumber(row['end_time']))];
    const devices = tables.includes('device_info_table') ? listDevices(database) : new Map<unknown, string>();
    for (const mapping of mapped) {
      const [table = '', column = ''] = mapping.name.split('.');
      for (const { at, until, value, device, app } of readRows(
        database,
        selectValues(database, tables, table, column),
      )) {
        const source = devices.get(device) || (app === null ? undefined : `app ${String(app)}`);
        const untilMs = until === null ? undefined : toNumber(until);
        yield [{ field: mapping.field, atMs: toNumber(at), untilMs, value: toNumber(value) * mapping.factor, source }];
      }
    }
  } finally {
    database.close();
  }
}

/** Yields the workouts. */
function* readWorkouts(database: Database.Database): Generator<readonly Item[]> {
  for (const row of readRows(database, 'SELECT * FROM exercise_session_record_table ORDER BY rowid')) {
    const type = Number(row['exercise_type']);
    const sport = healthConnectSports[type] ?? jetpackSports[type] ?? 'other';
    const workout = toExercise(sport, toNumber(row['start_time']), toNumber(row['end_time']));
    if (workout) yield [workout];
  }
}

/** Returns the names of the plain tables. A view or a virtual table of a hostile file could run without end. */
function listTables(database: Database.Database): string[] {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`;
  return [...readRows(database, sql)].map(({ name }) => String(name));
}

/** Returns the names of the devices by id, e.g. `Polar H10 chest strap`. */
function listDevices(database: Database.Database): Map<unknown, string> {
  const rows = [...readRows(database, 'SELECT * FROM device_info_table LIMIT 1000')];
  return new Map(
    rows.map(({ row_id, manufacturer, model, device_type: type }) => [
      row_id,
      [manufacturer, model, deviceTypes[Number(type)]].filter(Boolean).join(' '),
    ]),
  );
}

/** Returns the query of the values of a table. Early exports do not have all columns. */
function selectValues(database: Database.Database, tables: string[], table: string, column: string): string {
  const { at, until, parent = table } = columns[table] ?? { at: 'time' };
  const named = tables.includes(parent) ? readRows(database, `SELECT name FROM pragma_table_info('${parent}')`) : [];
  const names = [...named].map(({ name }) => name);
  const select = (name: string) => (names.includes(name) ? `owner.${name}` : 'NULL');
  const key = parent === table ? 'row_id' : 'parent_key';
  const owner = names.includes('row_id') ? `LEFT JOIN ${parent} AS owner ON owner.row_id = item.${key}` : '';
  return `SELECT item.${at} AS at, ${until === undefined ? 'NULL' : `item.${until}`} AS until, item.${column} AS value,
    ${select('device_info_id')} AS device, ${select('app_info_id')} AS app
    FROM ${table} AS item ${owner} ORDER BY item.rowid`;
}

/** Yields rows one by one, so that memory is bounded. */
function* readRows(database: Database.Database, sql: string): Generator<Readonly<Record<string, unknown>>> {
  const rows = ask(() => database.prepare(sql).iterate() as IterableIterator<Record<string, unknown>>);
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
