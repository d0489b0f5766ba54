import type { Knex } from 'knex';

/** Where the two databases want other words. */
export function isMysql(knex: Knex): boolean {
  return knex.client.driverName === 'mysql2';
}
