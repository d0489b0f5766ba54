import type { Knex } from 'knex';
import { abridge } from './abridge.js';
import { isMysql } from './is-mysql.js';

export type Value = string | number | null;

/** A statement with a `?` for each value. */
export interface Statement {
  readonly sql: string;
  readonly bindings: readonly Value[];
}

/** Values per packet: about a megabyte, well below what a server accepts. */
const valuesMax = 8_192;

/**
 * Runs the statements in their order and resolves when all have run. MySQL gets them in one packet, to save a round trip
 * per statement; it stops at the first statement that fails. Call it within a transaction.
 */
export async function runStatements(knex: Knex, statements: readonly Statement[]): Promise<void> {
  for (const { sql, bindings } of isMysql(knex) ? packetsOf(statements) : statements) await run(knex, sql, bindings);
}

/** Statements of up to `valuesMax` values together, each as one text. */
function packetsOf(statements: readonly Statement[]): Statement[] {
  const packets: Statement[] = [];
  for (const { sql, bindings } of statements) {
    const last = packets.at(-1);
    if (last && last.bindings.length + bindings.length <= valuesMax)
      packets[packets.length - 1] = { sql: `${last.sql}; ${sql}`, bindings: [...last.bindings, ...bindings] };
    else packets.push({ sql, bindings });
  }
  return packets;
}

/** Passes by Knex's builders, which inspect every value several times. */
async function run({ client }: Knex, sql: string, bindings: readonly Value[]): Promise<void> {
  const connection = await client.acquireConnection();
  try {
    await client.query(connection, { sql, bindings });
  } catch (error) {
    // Knex begins the message with the statement, and a statement of hundreds of rows is unreadable in a log.
    (error as Error).message = abridge((error as Error).message);
    throw error;
  } finally {
    await client.releaseConnection(connection);
  }
}
