import type { Knex } from 'knex';
import { abridge } from './abridge.js';
import { isMysql } from './is-mysql.js';
import { hasOtherWriters } from './server-facts.js';

export type Value = string | number | null;

/** A statement with one `?` per value. */
export interface Statement {
  readonly sql: string;
  readonly bindings: readonly Value[];
}

/** Maximum number of values per packet. They take about one megabyte, far less than the server's limit. */
const valuesMax = 8_192;

/**
 * Runs the statements in order. Resolves when all have run. Must be called in a transaction.
 *
 * MySQL gets the statements in one packet, which saves a round trip per statement. It stops at the first error.
 *
 * A Galera node gets them one by one. When it aborts a transaction in the middle of a packet, because another node has
 * committed a change of the same rows, it can run and commit the rest of the packet (MariaDB 10.11, decision 019).
 */
export async function runStatements(knex: Knex, statements: readonly Statement[]): Promise<void> {
  const isPacked = isMysql(knex) && !hasOtherWriters(knex);
  for (const { sql, bindings } of isPacked ? splitPackets(statements) : statements) await run(knex, sql, bindings);
}

/** Joins the statements into packets of at most `valuesMax` values. */
function splitPackets(statements: readonly Statement[]): Statement[] {
  const packets: Statement[] = [];
  for (const { sql, bindings } of statements) {
    const last = packets.at(-1);
    if (last && last.bindings.length + bindings.length <= valuesMax)
      packets[packets.length - 1] = { sql: `${last.sql}; ${sql}`, bindings: [...last.bindings, ...bindings] };
    else packets.push({ sql, bindings });
  }
  return packets;
}

/** Runs a statement without the query builder of Knex, which inspects every value several times. */
async function run({ client }: Knex, sql: string, bindings: readonly Value[]): Promise<void> {
  const connection = await client.acquireConnection();
  try {
    await client.query(connection, { sql, bindings });
  } catch (error) {
    // Knex begins the message with the statement. With hundreds of rows, the statement makes a log unreadable.
    (error as Error).message = abridge((error as Error).message);
    throw error;
  } finally {
    await client.releaseConnection(connection);
  }
}
