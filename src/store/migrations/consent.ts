import type { Knex } from 'knex';
import { ascii, asciiJson, createTable } from './create-table.js';

/** Creates the table of consents. Each decision of a person is one row, which is stored until the person is erased. */
export async function consent(knex: Knex): Promise<void> {
  await createTable(knex, 'consents', {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'subject_id', 256).notNullable();
      // Counts from 1 per subject.
      table.integer('version').notNullable();
      table.bigInteger('recorded_at_ms').notNullable();
      asciiJson(table, 'body').notNullable();
      table.primary(['account_id', 'subject_id', 'version']);
    },
    isClustered: true,
  });
}
