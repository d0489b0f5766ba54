import type { Knex } from 'knex';
import { ascii, asciiOf, createTable } from './create-table.js';

/** Creates the table of the secrets key that protects new secrets. It has one row, named `current`. */
export async function secretsKey(knex: Knex): Promise<void> {
  await createTable(knex, 'secrets_keys', {
    columns(table) {
      ascii(table, 'name', 16).notNullable();
      asciiOf(table, 'check_value', 64).notNullable();
      table.bigInteger('since_ms').notNullable();
      table.primary(['name']);
    },
  });
}
