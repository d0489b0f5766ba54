import type { Knex } from 'knex';

/** Returns true for MySQL, false for SQLite. Used where the SQL of the two databases differs. */
export function isMysql(knex: Knex): boolean {
  return knex.client.driverName === 'mysql2';
}
