import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import type { DatabaseConfig } from '../config.js';
import { LibsqlClient } from './libsql-dialect.js';

/** How long one attempt waits for a connection or for another writer, before the caller's own retry decides. */
const waitMs = { connect: 3_000, acquire: 5_000, sqliteLock: 250 };
const mysqlConnectionsMax = 10;

/** Opens nothing yet: the first query connects. */
export function openDatabase(config: DatabaseConfig): Knex {
  return config.kind === 'sqlite' ? openSqlite(config.file) : openMysql(config.url);
}

/** One connection: SQLite has one writer, and a query beside an open transaction waits for its end. */
function openSqlite(file: string): Knex {
  mkdirSync(dirname(file), { recursive: true });
  return knex({
    client: LibsqlClient,
    connection: { filename: file },
    useNullAsDefault: true,
    acquireConnectionTimeout: waitMs.acquire,
    pool: { min: 1, max: 1, afterCreate: settleSqlite },
  });
}

/** FULL, because NORMAL loses acknowledged commits at power loss. */
function settleSqlite(connection: { exec(sql: string): void }, done: (error: Error | null, it: unknown) => void): void {
  try {
    connection.exec(`pragma busy_timeout = ${waitMs.sqliteLock}; pragma journal_mode = wal; pragma synchronous = full`);
    done(null, connection);
  } catch (error) {
    done(error as Error, connection);
  }
}

function openMysql(url: string): Knex {
  const { hostname, port, username, password, pathname } = new URL(url);
  return knex({
    client: 'mysql2',
    connection: {
      host: decodeURIComponent(hostname),
      port: Number(port || 3306),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      connectTimeout: waitMs.connect,
      charset: 'utf8mb4',
    },
    acquireConnectionTimeout: waitMs.acquire,
    pool: { min: 0, max: mysqlConnectionsMax, afterCreate: settleMysql },
  });
}

/** READ COMMITTED keeps gap locks out of the way of new sessions; strict mode refuses what would be cut. */
function settleMysql(
  connection: { query(sql: string, done: (error: Error | null) => void): void },
  done: (error: Error | null, it: unknown) => void,
): void {
  const sql = `set session transaction isolation level read committed`;
  connection.query(sql, (error) => {
    if (error) return done(error, connection);
    connection.query(`set session sql_mode = 'STRICT_ALL_TABLES'`, (fault) => done(fault, connection));
  });
}
