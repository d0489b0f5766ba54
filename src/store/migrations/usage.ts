import type { Knex } from 'knex';

/** How many calls each account has made in a calendar month (UTC, as in `2026-11`). */
export async function usage(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('usage_months')))
    await knex.schema.createTable('usage_months', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.specificType('month', 'char(7)').collate('ascii_bin').notNullable();
      table.bigInteger('calls').notNullable();
      table.primary(['account_id', 'month']);
    });
}
