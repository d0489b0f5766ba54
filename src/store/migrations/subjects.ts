import type { Knex } from 'knex';

/** What is remembered of a person across sessions, until it is deleted: the baseline, as JSON text. */
export async function subjects(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('subjects')) return;
  await knex.schema.createTable('subjects', (table) => {
    table.string('account_id', 32).collate('ascii_bin').notNullable();
    table.string('subject_id', 256).collate('ascii_bin').notNullable();
    table.text('baseline').collate('ascii_bin').nullable();
    table.primary(['account_id', 'subject_id']);
  });
}
