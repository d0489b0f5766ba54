import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { abridge } from './abridge.js';

interface Connection {
  /** Set on a broken connection. Knex then replaces the connection. */
  __knex__disposed?: unknown;
  prepare(sql: string): object;
}
interface Transaction {
  query(connection: Connection, sql: string): Promise<unknown>;
}
interface Client {
  acquireRawConnection(): Promise<Connection>;
  _query(connection: Connection, query: { sql: string }): Promise<unknown>;
}

/** Cache size. Each table needs one statement per number of rows. */
const preparedMax = 500;

const require = createRequire(import.meta.url);
const BetterSqlite3Client = require('knex/lib/dialects/better-sqlite3') as new () => Client;
const SqliteTransaction = require('knex/lib/dialects/sqlite3/execution/sqlite-transaction') as new (
  ...parts: unknown[]
) => Transaction;

/**
 * Takes the write lock when the transaction begins. Otherwise, a transaction that reads first fails if another process
 * has written before its first write, and waiting does not help.
 */
class ImmediateTransaction extends SqliteTransaction {
  begin(connection: Connection): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

/**
 * Knex's better-sqlite3 dialect with the libsql driver. Its npm package contains a binary, so installation requires no
 * compiler and no install script.
 */
class LibsqlDialect extends BetterSqlite3Client {
  // Knex gets the driver and its transactions from these methods.
  _driver(): unknown {
    return require('libsql');
  }

  transaction(...parts: unknown[]): Transaction {
    return new ImmediateTransaction(this, ...parts);
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
   * Replaces the connection after a failed statement. libsql leaves the statement open, which prevents any later commit
   * on the connection.
   */
  override async _query(connection: Connection, query: { sql: string }): Promise<unknown> {
    try {
      return await super._query(connection, query);
    } catch (error) {
      connection.__knex__disposed = error;
      // Shortens the statement in the error message that Knex builds.
      query.sql = abridge(query.sql);
      throw error;
    }
  }
}

/** The dialect as a value for the `client` setting. The types of Knex do not declare the overridden methods. */
export const LibsqlClient = LibsqlDialect as unknown as typeof Knex.Client;
