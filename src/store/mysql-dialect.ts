import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { escape, raw } from 'mysql2';
import { abridge } from './abridge.js';

/** As Knex hands it to its dialects. */
interface Statement {
  sql: string;
  readonly bindings?: readonly unknown[];
  readonly options?: { readonly isPatient?: boolean; readonly isLast?: boolean };
  /** Rows and what they consist of; of several statements those of each. */
  response?: readonly [rows: unknown, fields: unknown];
}
interface Connection {
  /** Knex opens a new connection in place of one that carries this. */
  __knex__disposed?: unknown;
}
interface Transaction {
  rollback(connection: Connection, error: unknown): Promise<unknown>;
  /** With status 1 the transaction ends well with the value, where the statement does. */
  query(connection: Connection, statement: Statement, status?: number, value?: unknown): Promise<unknown>;
}
interface Client {
  /** True within a transaction. */
  readonly transacting?: boolean;
  _query(connection: Connection, statement: Statement): Promise<Statement>;
}

const require = createRequire(import.meta.url);
const Mysql2Client = require('knex/lib/dialects/mysql2') as new () => Client;
const Mysql2Transaction = require('knex/lib/dialects/mysql2/transaction') as new (...parts: unknown[]) => Transaction;

/**
 * Options of a statement whose result nobody reads: within a transaction on MySQL it waits, and goes with the next one
 * that is read, or with the commit, which then fails as it does.
 */
export const patient = { isPatient: true } as const;

/** A statement that waits to be sent; one that is read has somebody who waits for it. */
interface Waiting {
  readonly statement: Statement;
  readonly reader?: { resolve(statement: Statement): void; reject(error: unknown): void };
}

const beyondAscii = /[^\x00-\x7f]/;

/** What waits, in its order, by the connection of its transaction. */
const waiting = new WeakMap<Connection, Waiting[]>();
/** Values of the statements that wait: about a megabyte, well under what a server takes in one packet. */
const valuesMax = 8_192;

class PatientTransaction extends Mysql2Transaction {
  begin(connection: Connection): Promise<unknown> {
    return this.query(connection, { sql: 'BEGIN', options: patient });
  }

  commit(connection: Connection, value: unknown): Promise<unknown> {
    return this.query(connection, { sql: 'COMMIT', options: { isLast: true } }, 1, value);
  }

  override rollback(connection: Connection, error: unknown): Promise<unknown> {
    for (const { reader } of waiting.get(connection) ?? []) reader?.reject(error);
    waiting.delete(connection);
    return super.rollback(connection, error);
  }
}

/**
 * Knex's mysql2 dialect with fewer trips to the server: what is read at the same time in one transaction goes in one
 * packet, and what waits goes with it. The server does one after the other and stops at the first that fails.
 */
class MysqlDialect extends Mysql2Client {
  // Knex asks the dialect for the values of each statement through this method.
  prepBindings(bindings: readonly unknown[] = []): readonly unknown[] {
    return bindings.map(markCharset);
  }

  // Knex asks the dialect for its transactions through this method.
  transaction(...parts: unknown[]): object {
    return new PatientTransaction(this, ...parts);
  }

  override _query(connection: Connection, statement: Statement): Promise<Statement> {
    if (!this.transacting) return this.send(connection, [{ statement }]);
    const before = waiting.get(connection) ?? [];
    if (statement.options?.isPatient && countValues([...before, { statement }]) <= valuesMax) {
      waiting.set(connection, [...before, { statement }]);
      return Promise.resolve(Object.assign(statement, { response: [{}, undefined] }));
    }
    return new Promise((resolve, reject) => {
      waiting.set(connection, [...before, { statement, reader: { resolve, reject } }]);
      // By then whoever reads at the same time has said so.
      if (!before.some(({ reader }) => reader)) process.nextTick(() => void this.sendWaiting(connection));
    });
  }

  private async sendWaiting(connection: Connection): Promise<void> {
    const all = waiting.get(connection) ?? [];
    waiting.delete(connection);
    try {
      await this.send(connection, all);
      for (const { statement, reader } of all) reader?.resolve(statement);
    } catch (error) {
      for (const { reader } of all) reader?.reject(error);
    }
  }

  /** Resolves with the last statement; all have their response then. */
  private async send(connection: Connection, all: readonly Waiting[]): Promise<Statement> {
    const send = (it: Statement) => super._query(connection, it);
    const last = (all.at(-1) as Waiting).statement;
    try {
      return all.length === 1 ? await send(last) : await sendTogether(all, send);
    } catch (error) {
      nameClosedConnection(error as MysqlError);
      // For the message of the error, which Knex begins with it.
      const sql = abridge(all.map(({ statement }) => statement.sql).join('; '));
      for (const { statement } of all) statement.sql = sql;
      // Knex takes a commit for the end, however it went.
      if (last.options?.isLast)
        await send({ sql: 'ROLLBACK' }).catch((fault: unknown) => (connection.__knex__disposed = fault));
      throw error;
    }
  }
}

/** Resolves with the last statement; each has its response. */
async function sendTogether(
  all: readonly Waiting[],
  send: (together: Statement) => Promise<Statement>,
): Promise<Statement> {
  const statements = all.map(({ statement }) => statement);
  const last = statements.at(-1) as Statement;
  const sql = statements.map((it) => it.sql).join('; ');
  const { response } = await send({ ...last, sql, bindings: statements.flatMap(({ bindings = [] }) => bindings) });
  const [rows, fields] = response as readonly [unknown[], unknown[]];
  statements.forEach((statement, index) => (statement.response = [rows[index], fields[index]]));
  return last;
}

interface MysqlError extends Error {
  readonly fatal?: boolean;
  code?: string;
}

/** mysql2 reports a statement on a connection that has closed, e.g. a ROLLBACK, as fatal and without a code. */
function nameClosedConnection(error: MysqlError): void {
  if (error.fatal) error.code ??= 'PROTOCOL_CONNECTION_LOST';
}

/** Texts are taken for ASCII, where nothing else is said. */
function markCharset(value: unknown): unknown {
  return typeof value === 'string' && beyondAscii.test(value) ? raw(`_utf8mb4${escape(value)}`) : value;
}

function countValues(all: readonly Waiting[]): number {
  return all.reduce((count, { statement: { bindings = [] } }) => count + bindings.length, 0);
}

/** As Knex's `client` setting takes it; its own types do not know the methods that dialects override. */
export const MysqlClient = MysqlDialect as unknown as typeof Knex.Client;
