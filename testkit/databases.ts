import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { owe } from './owed.js';

/** An empty database for one test. `drop` deletes it. */
export interface TestDatabase {
  /** A value for DATABASE_URL. */
  readonly url: string;
  drop(): Promise<void>;
}

export type DatabaseKind = 'sqlite' | 'mysql';

/** URL of the MySQL or MariaDB server. Its account must be allowed to create databases. */
export const mysqlServerUrl = process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306';

/** Folder of databases and database servers. Tests use memory, benchmarks the disk. */
export const databaseFolder = process.env['TEST_DATABASE_FOLDER'] ?? tmpdir();

/** The database of this test run, set by the runner. */
export const databaseKind: DatabaseKind = process.env['TEST_DATABASE'] === 'mysql' ? 'mysql' : 'sqlite';

/** MySQL requires SECRETS_KEY. Tests do not wait for load balancers. */
const mysqlSettings = { SECRETS_KEY: 'test-test-test-test-test-test-test', SHUTDOWN_DELAY_SECONDS: '0' };

/** Returns the settings of a process that uses a database. */
export function settingsFor(url: string): Record<string, string> {
  return { DATABASE_URL: url, ...(url.startsWith('mysql:') && mysqlSettings) };
}

export function createTestDatabase(kind: DatabaseKind = databaseKind): Promise<TestDatabase> {
  return kind === 'sqlite' ? createSqlite() : createMysql();
}

export async function isMysqlReachable(): Promise<boolean> {
  try {
    await (await mysql.createConnection({ uri: mysqlServerUrl, connectTimeout: 2_000 })).end();
    return true;
  } catch {
    return false;
  }
}

/** Creates and deletes synchronously, so that a signal cannot arrive before the cleanup is registered. */
async function createSqlite(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(databaseFolder, 'state-service-'));
  return {
    url: `sqlite:${join(folder, 'state.db')}`,
    drop: owe(async () => rmSync(folder, { recursive: true, force: true })),
  };
}

async function createMysql(): Promise<TestDatabase> {
  const name = `${prefixOf(process.ppid)}${randomBytes(6).toString('hex')}`;
  const drop = owe(async () => void (await onServer(`drop database if exists ${name}`)));
  await onServer(`create database ${name}`);
  const url = new URL(mysqlServerUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop };
}

/** The prefix of the databases of a test run. */
function prefixOf(runner: number): string {
  return `state_test_${runner}_`;
}

/** Drops the databases that the workers of this process created and still keep. */
export async function dropTestDatabases(): Promise<void> {
  if (databaseKind !== 'mysql') return;
  const rows = await onServer(`select schema_name name from information_schema.schemata
    where left(schema_name, ${prefixOf(process.pid).length}) = '${prefixOf(process.pid)}'`);
  await Promise.all(rows.map(({ name }) => onServer(`drop database ${name}`)));
}

async function onServer(sql: string): Promise<RowDataPacket[]> {
  const connection = await mysql.createConnection({ uri: mysqlServerUrl });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows;
  } finally {
    await connection.end();
  }
}
