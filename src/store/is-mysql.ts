import type { Knex } from 'knex';

/** Returns true for MySQL, false for SQLite. Use it where their SQL differs. */
export function isMysql(knex: Knex): boolean {
  return knex.client.driverName === 'mysql2';
}
