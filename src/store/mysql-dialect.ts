import { createRequire } from 'node:module';
import type { Knex } from 'knex';
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

/** What waits, in its order, by the connection of its transaction. */
const waiting = new WeakMap<Connection, Statement[]>();
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
    waiting.delete(connection);
    return super.rollback(connection, error);
  }
}

/**
 * Knex's mysql2 dialect with fewer trips to the server: what waits goes in one packet with what is read. The server
 * does one after the other and stops at the first that fails.
 */
class MysqlDialect extends Mysql2Client {
  // Knex asks the dialect for its transactions through this method.
  transaction(...parts: unknown[]): object {
    return new PatientTransaction(this, ...parts);
  }

  override async _query(connection: Connection, statement: Statement): Promise<Statement> {
    const { isPatient, isLast } = statement.options ?? {};
    const before = waiting.get(connection) ?? [];
    const all = [...before, statement];
    if (isPatient && this.transacting && countValues(all) <= valuesMax) {
      waiting.set(connection, all);
      return Object.assign(statement, { response: [{}, undefined] });
    }
    waiting.delete(connection);
    const send = (it: Statement) => super._query(connection, it);
    try {
      return before.length === 0 ? await send(statement) : await sendTogether(all, send);
    } catch (error) {
      // For the message of the error, which Knex begins with it.
      statement.sql = abridge(all.map(({ sql }) => sql).join('; '));
      // Knex takes a commit for the end, however it went.
      if (isLast) await send({ sql: 'ROLLBACK' }).catch((fault: unknown) => (connection.__knex__disposed = fault));
      throw error;
    }
  }
}

/** Resolves with the last statement and its response. */
async function sendTogether(
  statements: readonly Statement[],
  send: (together: Statement) => Promise<Statement>,
): Promise<Statement> {
  const last = statements.at(-1) as Statement;
  const sql = statements.map((it) => it.sql).join('; ');
  const { response } = await send({ ...last, sql, bindings: statements.flatMap(({ bindings = [] }) => bindings) });
  const [rows, fields] = response as readonly [unknown[], unknown[]];
  return Object.assign(last, { response: [rows.at(-1), fields.at(-1)] });
}

function countValues(statements: readonly Statement[]): number {
  return statements.reduce((count, { bindings = [] }) => count + bindings.length, 0);
}

/** As Knex's `client` setting takes it; its own types do not know the methods that dialects override. */
export const MysqlClient = MysqlDialect as unknown as typeof Knex.Client;
