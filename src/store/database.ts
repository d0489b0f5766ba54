import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import type { DatabaseConfig } from '../config/config.js';
import { LibsqlClient } from './libsql-dialect.js';

/** How long one attempt waits for a connection or a lock, ms. The caller may then retry. */
const waitMs = { connect: 3_000, acquire: 5_000, mysqlSilence: 5_000 };
/** How long SQLite waits for the write lock of another process, ms. */
const sqliteLockMs = { serving: 250, administration: 8_000 };
const mysqlLockSeconds = 2;
const mysqlConnectionsMax = 10;

interface MysqlConnection {
  readonly stream: Socket;
  query(sql: string, done: (error: Error | null) => void): void;
}

/**
 * `serving` has short timeouts, so that a request gets a 503 instead of hanging. `administration` is for migrations and
 * commands. It waits several seconds for the lock of another process, and its MySQL statements may run for minutes.
 */
export type DatabaseUse = 'serving' | 'administration';

/** Returns a Knex instance. It connects when the first query runs. */
export function openDatabase(config: DatabaseConfig, use: DatabaseUse = 'serving'): Knex {
  return knex({
    ...(config.kind === 'sqlite' ? sqliteConfig(config.file, use) : mysqlConfig(config.url, use)),
    acquireConnectionTimeout: waitMs.acquire,
    // Error messages contain statements without values. Errors are logged, and values contain ids of people.
    compileSqlOnError: false,
    // Silences the warnings that Knex prints to standard output. The caller gets the errors.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
  });
}

/** Uses one connection, because SQLite allows one writer. Other queries wait for the open transaction. */
function sqliteConfig(file: string, use: DatabaseUse): Knex.Config {
  mkdirSync(dirname(file), { recursive: true });
  // Creates the file with owner-only permissions, which SQLite also applies to its log. Does not open an existing file,
  // because closing it would release the locks that SQLite holds on it in this process (POSIX).
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
 * Number of log pages before a checkpoint, 8 MB in total. A group of readings writes about 200 pages, often the same
 * pages again. With the default of 1,000, every fifth group would wait for a checkpoint. A larger log could fill a small
 * disk before the first checkpoint.
 */
const logPages = 2_000;

/**
 * Sets `synchronous = full`, because `normal` loses acknowledged commits at power loss. Sets `secure_delete`, which
 * overwrites deleted rows with zeros, so that no erased data remains in free pages of the file.
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
      // Safe, because the driver escapes all values, and the SQL mode below supports the driver's escaping.
      multipleStatements: true,
    },
    pool: { min: 0, max: mysqlConnectionsMax, afterCreate: use === 'serving' ? settleMysql : settleSession },
  };
}

/**
 * READ COMMITTED avoids gap locks, which would block new sessions. Strict mode rejects values that would otherwise be
 * truncated. The lock wait timeout is short.
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
