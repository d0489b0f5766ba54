import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { abridge } from './abridge.js';

interface Connection {
  /** Knex opens a new connection in place of one that carries this. */
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

/** A statement for each number of rows, of each table. */
const preparedMax = 500;

const require = createRequire(import.meta.url);
const BetterSqlite3Client = require('knex/lib/dialects/better-sqlite3') as new () => Client;
const SqliteTransaction = require('knex/lib/dialects/sqlite3/execution/sqlite-transaction') as new (
  ...parts: unknown[]
) => Transaction;

/**
 * Takes the write lock at its start. A transaction that reads first and then finds that another process has written
 * could not go on, however long it waited.
 */
class ImmediateTransaction extends SqliteTransaction {
  begin(connection: Connection): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

/**
 * Knex's better-sqlite3 dialect on libsql, whose binary ships inside npm: no compiler and no install script
 * are needed on a fresh machine.
 */
class LibsqlDialect extends BetterSqlite3Client {
  // Knex asks the dialect for its driver and its transactions through these methods.
  _driver(): unknown {
    return require('libsql');
  }

  transaction(...parts: unknown[]): Transaction {
    return new ImmediateTransaction(this, ...parts);
  }

  /** A group is written with a dozen statements, again and again. */
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

  /** libsql leaves a failed statement open, and then no later transaction of that connection can commit. */
  override async _query(connection: Connection, query: { sql: string }): Promise<unknown> {
    try {
      return await super._query(connection, query);
    } catch (error) {
      connection.__knex__disposed = error;
      // For the message of the error, which Knex begins with it.
      query.sql = abridge(query.sql);
      throw error;
    }
  }
}

/** As Knex's `client` setting takes it; its own types do not know the methods that dialects override. */
export const LibsqlClient = LibsqlDialect as unknown as typeof Knex.Client;
