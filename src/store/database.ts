import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import type { DatabaseConfig } from '../config/config.js';
import { LibsqlClient } from './libsql-dialect.js';
import { loadLibsql } from './load-libsql.js';
import type { HostEvent } from './mysql-hosts.js';
import { openMysql } from './mysql-pool.js';

/** How long a query waits for a free connection, in ms. The caller may then retry. */
const acquireMs = 5_000;
/** How long SQLite waits for the write lock of another process, in ms. */
const sqliteLockMs = { serving: 250, administration: 8_000 };

/**
 * `serving` has short timeouts, so that a request gets a 503 instead of hanging. `administration` is for migrations and
 * commands. It waits several seconds for the lock of another process, and its MySQL statements may run for minutes.
 */
export type DatabaseUse = 'serving' | 'administration';

/**
 * Returns a Knex instance. It connects when the first query runs. `onHost` is called when it chooses another one of
 * several hosts.
 */
export function openDatabase(
  config: DatabaseConfig,
  use: DatabaseUse = 'serving',
  onHost: (event: HostEvent) => void = () => {},
): Knex {
  if (config.kind === 'mysql') return openMysql(config.url, { common, isServing: use === 'serving', onHost });
  return knex({ ...sqliteConfig(config.file, use), ...common });
}

/** Runs work on a database with the timeouts of `administration`, then closes its connections. */
export async function withDatabase<T>(config: DatabaseConfig, work: (knex: Knex) => Promise<T>): Promise<T> {
  const knex = openDatabase(config, 'administration');
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
}

const common: Knex.Config = {
  acquireConnectionTimeout: acquireMs,
  // Error messages contain statements without values. Errors are logged, and values contain ids of people.
  compileSqlOnError: false,
  // Silences the warnings that Knex prints to standard output. The caller gets the errors.
  log: { warn() {}, error() {}, deprecate() {}, debug() {} },
};

/** Uses one connection, because SQLite allows one writer. Other queries wait for the open transaction. */
function sqliteConfig(file: string, use: DatabaseUse): Knex.Config {
  // Knex would replace the error of a missing binary.
  loadLibsql();
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
