import { createRequire } from 'node:module';
import type { Knex } from 'knex';

interface Connection {
  /** Knex opens a new connection in place of one that carries this. */
  __knex__disposed?: unknown;
}
interface Transaction {
  query(connection: Connection, sql: string): Promise<unknown>;
}
interface Client {
  _query(connection: Connection, query: unknown): Promise<unknown>;
}

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

  /** libsql leaves a failed statement open, and then no later transaction of that connection can commit. */
  override async _query(connection: Connection, query: unknown): Promise<unknown> {
    try {
      return await super._query(connection, query);
    } catch (error) {
      connection.__knex__disposed = error;
      throw error;
    }
  }
}

/** As Knex's `client` setting takes it; its own types do not know the methods that dialects override. */
export const LibsqlClient = LibsqlDialect as unknown as typeof Knex.Client;
