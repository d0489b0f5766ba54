import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import type { Statement } from './run-statements.js';

/**
 * Returns the rows of a query. Used for the queries of each group of readings, because the query builder of Knex takes
 * longer to build such a query than the database takes to run it.
 */
export async function selectRows<Row extends object>(knex: Knex, { sql, bindings }: Statement): Promise<Row[]> {
  const result = await knex.raw(sql, [...bindings]);
  return isMysql(knex) ? result[0] : result;
}
