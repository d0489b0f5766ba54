import type { Knex } from 'knex';

/**
 * Sessions hold what the next reading needs; readings are the history, and by their digest the memory of resends.
 * A session that ends and begins again under its name is another incarnation, which sees none of the readings before
 * it, however long their deletion takes. Both are found by age for the purge. All text is ASCII: ids by contract, JSON because it holds ids and labels only.
 */
export async function sessions(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('sessions')))
    await knex.schema.createTable('sessions', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('session_id', 256).collate('ascii_bin').notNullable();
      table.specificType('incarnation', 'char(12)').collate('ascii_bin').notNullable();
      table.string('subject_id', 256).collate('ascii_bin').nullable();
      table.bigInteger('touched_at_ms').notNullable();
      table.text('body').collate('ascii_bin').nullable();
      table.primary(['account_id', 'session_id']);
      table.index(['touched_at_ms'], 'sessions_by_touch');
      table.index(['account_id', 'subject_id'], 'sessions_by_subject');
    });
  if (!(await knex.schema.hasTable('readings')))
    await knex.schema.createTable('readings', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('session_id', 256).collate('ascii_bin').notNullable();
      table.specificType('incarnation', 'char(12)').collate('ascii_bin').notNullable();
      table.bigInteger('timestamp_ms').notNullable();
      table.specificType('digest', 'char(32)').collate('ascii_bin').notNullable();
      table.integer('stress_score').notNullable();
      table.double('confidence').notNullable();
      // Text, because MariaDB prints some doubles wrong in the last digit.
      table.string('heart_rate', 32).collate('ascii_bin').nullable();
      table.text('answer').collate('ascii_bin').notNullable();
      table.primary(['account_id', 'session_id', 'incarnation', 'timestamp_ms', 'digest']);
      table.index(['timestamp_ms'], 'readings_by_time');
    });
}
