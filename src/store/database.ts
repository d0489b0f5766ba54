import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import type { DatabaseConfig } from '../config.js';
import { LibsqlClient } from './libsql-dialect.js';

/** How long one attempt waits for a connection or for another writer, before the caller's own retry decides. */
const waitMs = { connect: 3_000, acquire: 5_000, mysqlSilence: 5_000 };
/** How long SQLite waits for the write lock of another process. */
const sqliteLockMs = { serving: 250, administration: 8_000 };
const mysqlLockSeconds = 2;
const mysqlConnectionsMax = 10;

interface MysqlConnection {
  readonly stream: Socket;
  query(sql: string, done: (error: Error | null) => void): void;
}

/**
 * serving: gives up soon, so that a request gets a 503 instead of hanging. administration: for migrations and commands;
 * waits several seconds for the lock of another process, and its MySQL statements may run for minutes.
 */
export type DatabaseUse = 'serving' | 'administration';

/**
 * Returns a Knex that connects with its first query.
 */
export function openDatabase(config: DatabaseConfig, use: DatabaseUse = 'serving'): Knex {
  return knex({
    ...(config.kind === 'sqlite' ? sqliteConfig(config.file, use) : mysqlConfig(config.url, use)),
    acquireConnectionTimeout: waitMs.acquire,
    // Errors name the statement without its values: they are logged, and values hold ids of people.
    compileSqlOnError: false,
    // Knex would print to standard output; whoever asked is told by the error.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
  });
}

/** One connection: SQLite has one writer, and a query beside an open transaction waits for its end. */
function sqliteConfig(file: string, use: DatabaseUse): Knex.Config {
  mkdirSync(dirname(file), { recursive: true });
  // Created here with owner-only rights; SQLite gives its log the same. An existing file is not opened: closing it would
  // release the locks that SQLite holds on it in this process (POSIX).
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  return {
    client: LibsqlClient,
    connection: { filename: file },
    useNullAsDefault: true,
    pool: { min: 1, max: 1, afterCreate: sqliteSettler(sqliteLockMs[use]) },
  };
}

type Settled = (error: Error | null, connection: unknown) => void;

/**
 * Pages that the log may hold before they are copied into the database, 32 MB. A group writes some 200 of them, and the
 * same ones again and again: SQLite's own 1,000 would have every fifth group wait for a copy of nearly all.
 */
const logPages = 8_000;

/**
 * `synchronous = full`, because `normal` loses acknowledged commits at power loss. `secure_delete` overwrites deleted
 * rows with zeros: erased data of a person must not stay in free pages of the file.
 */
function sqliteSettler(lockMs: number): (connection: { exec(sql: string): void }, done: Settled) => void {
  return (connection, done) => {
    try {
      connection.exec(`pragma busy_timeout = ${lockMs}; pragma journal_mode = wal; pragma synchronous = full`);
      connection.exec(`pragma wal_autocheckpoint = ${logPages}; pragma secure_delete = on`);
      done(null, connection);
    } catch (error) {
      done(error as Error, connection);
    }
  };
}

function mysqlConfig(url: string, use: DatabaseUse): Knex.Config {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    client: 'mysql2',
    connection: {
      host: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || 3306),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      connectTimeout: waitMs.connect,
      charset: 'utf8mb4',
      // Values never become part of the text by hand, and the session's mode below is one that the driver escapes for.
      multipleStatements: true,
    },
    pool: { min: 0, max: mysqlConnectionsMax, afterCreate: use === 'serving' ? settleMysql : settleSession },
  };
}

/**
 * READ COMMITTED keeps gap locks out of the way of new sessions. Strict mode rejects values that would be cut. No
 * statement waits long for a lock.
 */
const mysqlSession = [
  'set session transaction isolation level read committed',
  "set session sql_mode = 'STRICT_ALL_TABLES', collation_connection = 'utf8mb4_bin'",
  `set session lock_wait_timeout = ${mysqlLockSeconds}, innodb_lock_wait_timeout = ${mysqlLockSeconds}`,
];

function settleMysql(connection: MysqlConnection, done: Settled): void {
  connection.stream.setTimeout(waitMs.mysqlSilence, () => connection.stream.destroy());
  settleSession(connection, done);
}

function settleSession(connection: MysqlConnection, done: Settled): void {
  const run = ([sql, ...rest]: readonly string[]): void => {
    if (sql === undefined) done(null, connection);
    else connection.query(sql, (error) => (error ? done(error, connection) : run(rest)));
  };
  run(mysqlSession);
}
