import type { Knex } from 'knex';

/**
 * What is remembered of a person across sessions, until it is deleted: a row a subject, and a row a topic that was
 * talked about. Erasures name the lives of sessions whose readings are still to be erased after their subject.
 */
export async function subjects(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('subjects')))
    await knex.schema.createTable('subjects', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('subject_id', 256).collate('ascii_bin').notNullable();
      table.text('body').collate('ascii_bin').nullable();
      table.primary(['account_id', 'subject_id']);
    });
  if (!(await knex.schema.hasTable('triggers')))
    await knex.schema.createTable('triggers', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('subject_id', 256).collate('ascii_bin').notNullable();
      table.string('topic', 64).collate('ascii_bin').notNullable();
      table.text('body').collate('ascii_bin').notNullable();
      table.primary(['account_id', 'subject_id', 'topic']);
    });
  if (!(await knex.schema.hasTable('erasures')))
    await knex.schema.createTable('erasures', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('session_id', 256).collate('ascii_bin').notNullable();
      table.specificType('incarnation', 'char(12)').collate('ascii_bin').notNullable();
      table.primary(['account_id', 'session_id', 'incarnation']);
    });
}
