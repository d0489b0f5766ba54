import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { owe } from './owed.js';

/** A database of a test's own, empty, gone when dropped. */
export interface TestDatabase {
  /** As DATABASE_URL takes it. */
  readonly url: string;
  drop(): Promise<void>;
}

export type DatabaseKind = 'sqlite' | 'mysql';

/** Where the tests look for MySQL or MariaDB; the account must be allowed to create databases. */
export const mysqlServerUrl = process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306';

/** Which database this run of the suite covers; the runner sets it. */
export const databaseKind: DatabaseKind = process.env['TEST_DATABASE'] === 'mysql' ? 'mysql' : 'sqlite';

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

/** Made and removed at once: no signal may come before its removal is owed, nor the program go on beside that. */
async function createSqlite(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'state-service-'));
  return {
    url: `sqlite:${join(folder, 'state.db')}`,
    drop: owe(async () => rmSync(folder, { recursive: true, force: true })),
  };
}

async function createMysql(): Promise<TestDatabase> {
  const name = `state_test_${randomBytes(6).toString('hex')}`;
  const drop = owe(() => onServer(`drop database if exists ${name}`));
  await onServer(`create database ${name}`);
  const url = new URL(mysqlServerUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop };
}

async function onServer(sql: string): Promise<void> {
  const connection = await mysql.createConnection({ uri: mysqlServerUrl });
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
