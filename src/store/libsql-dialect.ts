import knex, { type Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { loadLibsql } from './load-libsql.js';
import { abridge, dropIndexHints } from './rows.js';

interface Connection {
  /** Marks a broken connection. Knex then replaces the connection. */
  __knex__disposed?: unknown;
  prepare(sql: string): object;
}
interface Client {
  acquireRawConnection(): Promise<Connection>;
  _query(connection: Connection, query: { sql: string }): Promise<unknown>;
}

/** Maximum number of cached prepared statements. Each table requires one statement per number of rows. */
const preparedMax = 500;

const missing = /^no such (table|column): |has no column named /;

// An instance without a connection loads no driver.
const { client } = knex({ client: 'better-sqlite3', useNullAsDefault: true });
const BetterSqlite3Client: new () => Client = client.constructor;

/**
 * Knex's better-sqlite3 dialect with the libsql driver. The npm package of libsql contains a binary, so installation
 * requires no compiler and no install script.
 */
class LibsqlDialect extends BetterSqlite3Client {
  // Knex calls this method to get the driver.
  _driver(): unknown {
    return loadLibsql();
  }

  /** Caches prepared statements, because each group uses the same dozen statements. */
  override async acquireRawConnection(): Promise<Connection> {
    const connection = await super.acquireRawConnection();
    const prepared = new LRUCache<string, object>({ max: preparedMax });
    const prepare = connection.prepare.bind(connection);
    connection.prepare = (sql) => {
      const statement = prepared.get(sql) ?? prepare(sql);
      prepared.set(sql, statement);
      return statement;
    };
    return connection;
  }

  /**
   * Runs a query. A transaction takes the write lock when it begins. Otherwise, a transaction that reads first fails if
   * another process writes before it. Waiting would not help.
   *
   * Replaces the connection after a failed statement, because libsql leaves the statement open. An open statement
   * prevents later commits on the connection.
   *
   * Runs a statement without its index if the index is missing.
   */
  override async _query(connection: Connection, query: { sql: string }): Promise<unknown> {
    if (query.sql === 'BEGIN;') query.sql = 'BEGIN IMMEDIATE;';
    try {
      return await super._query(connection, query);
    } catch (error) {
      const sql = dropIndexHints(query.sql, error);
      if (sql !== undefined) return this._query(connection, Object.assign(query, { sql }));
      // SQLite has one code for all invalid statements.
      if (missing.test((error as Error).message)) Object.assign(error as Error, { code: 'SQLITE_SCHEMA_INCOMPLETE' });
      connection.__knex__disposed = error;
      // Shortens the statement in the error message that Knex builds.
      query.sql = abridge(query.sql);
      throw error;
    }
  }
}

/** The dialect as a value for the `client` setting. The types of Knex do not declare the overridden methods. */
export const LibsqlClient = LibsqlDialect as unknown as typeof Knex.Client;
