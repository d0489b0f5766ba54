import { readFile, writeFile } from 'node:fs/promises';
import mysql, { type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { readConfig } from '../src/config/config.js';
import { openStore } from '../src/store/store.js';
import { tables } from '../src/store/tables/index.js';
import { createTestDatabase, databaseKind, type TestDatabase } from './databases.js';

/** Most rows that are deleted from a MySQL database. One with more rows is dropped: its statistics would be wrong. */
const rowsMax = 1_000;

/**
 * Returns a database with all tables and no rows, for a service that a test starts. A copied file, or a MySQL database of
 * an earlier test with its rows deleted, takes a tenth of the time of a migration.
 */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return databaseKind === 'sqlite' ? copySqlite() : reuseMysql();
}

async function migrate(database: TestDatabase): Promise<TestDatabase> {
  const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
  try {
    await store.migrate();
    // Readings of tests are kept for 24 hours, as on a database of 1.0.0.
    await store.run((knex) => knex('applied_retention').delete());
    // The copied file would lack the write-ahead log: libsql does not merge the log when it closes a database.
    if (databaseKind === 'sqlite') await store.run((knex) => knex.raw('pragma wal_checkpoint(truncate)'));
  } finally {
    await store.close();
  }
  return database;
}

let template: Promise<Buffer> | undefined;

async function copySqlite(): Promise<TestDatabase> {
  const fileOf = ({ url }: TestDatabase) => url.replace('sqlite:', '');
  template ??= createTestDatabase()
    .then(migrate)
    .then(async (it) => {
      const bytes = await readFile(fileOf(it));
      await it.drop();
      return bytes;
    });
  const database = await createTestDatabase();
  await writeFile(fileOf(database), await template, { mode: 0o600 });
  return database;
}

/** A MySQL database, and its schema after its migrations. */
interface Reusable extends TestDatabase {
  readonly schema: string;
}

/** Databases that no test uses at present. The end of the run drops them, like all databases of tests. */
const free: Reusable[] = [];

async function reuseMysql(): Promise<TestDatabase> {
  const database = free.pop() ?? (await createReusable());
  const drop = async () => void ((await clear(database)) ? free.push(database) : await database.drop());
  return { url: database.url, drop };
}

async function createReusable(): Promise<Reusable> {
  const database = await migrate(await createTestDatabase());
  return { ...database, schema: await connected(database, readSchema) };
}

const deleteAll = Object.keys(tables)
  .map((table) => `delete from ${table};`)
  .join('');

/** Counts what a test may change besides rows: triggers, columns, index columns and migrations. */
const countSchema = `select
  (select count(*) from information_schema.triggers where trigger_schema = database()) as trigger_count,
  (select count(*) from information_schema.columns where table_schema = database()) as column_count,
  (select count(*) from information_schema.statistics where table_schema = database()) as index_count,
  (select count(*) from schema_migrations) as migration_count`;

async function readSchema(connection: mysql.Connection): Promise<string> {
  const [[counts]] = await connection.query<RowDataPacket[]>(countSchema);
  return JSON.stringify(counts);
}

/** Deletes all rows. Returns false if there were many, the schema changed, or a process is still connected. */
function clear(database: Reusable): Promise<boolean> {
  return connected(database, async (connection) => {
    const [connections] = await connection.query<RowDataPacket[]>(
      'select id from information_schema.processlist where db = database()',
    );
    if (connections.length > 1 || (await readSchema(connection)) !== database.schema) return false;
    const [results] = await connection.query<ResultSetHeader[]>(deleteAll);
    return results.reduce((sum, it) => sum + it.affectedRows, 0) < rowsMax;
  });
}

async function connected<T>({ url }: TestDatabase, work: (connection: mysql.Connection) => Promise<T>): Promise<T> {
  const connection = await mysql.createConnection({ uri: url, multipleStatements: true });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}
