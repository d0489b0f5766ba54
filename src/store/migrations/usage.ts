import type { Knex } from 'knex';
import { ascii, asciiOf, createTable } from './create-table.js';

/** Creates the table of calls per account and calendar month (UTC, e.g. `2026-11`). */
export async function usage(knex: Knex): Promise<void> {
  await createTable(knex, 'usage_months', {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      asciiOf(table, 'month', 7).notNullable();
      table.bigInteger('calls').notNullable();
      table.primary(['account_id', 'month']);
    },
  });
}
