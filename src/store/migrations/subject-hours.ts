import type { Knex } from 'knex';
import { retention } from '../../../generated/spec.js';
import { ascii, createTable } from './create-table.js';

/**
 * Creates the table of hours of people, which are stored longer than readings, and the number of days that they are
 * stored if the operator sets none. A database with accounts existed before this release: it stores no hours until the
 * operator decides so.
 */
export async function subjectHours(knex: Knex): Promise<void> {
  await createTable(knex, 'subject_hours', { columns: defineHours, indexes: { subject_hours_by_time: ['hour_ms'] } });
  await createTable(knex, 'retention_defaults', {
    columns(table) {
      ascii(table, 'name', 64).notNullable();
      table.integer('value').notNullable();
      table.primary(['name']);
    },
  });
  const isNew = (await knex('accounts').select('account_id').first()) === undefined;
  const row = { name: 'summary_days', value: isNew ? retention.summary_days : 0 };
  await knex('retention_defaults').insert(row).onConflict('name').ignore();
}

function defineHours(table: Knex.CreateTableBuilder): void {
  ascii(table, 'account_id', 32).notNullable();
  ascii(table, 'subject_id', 256).notNullable();
  // Start of the UTC hour, epoch ms.
  table.bigInteger('hour_ms').notNullable();
  for (const state of ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'])
    table.integer(`${state}_ms`).notNullable();
  table.integer('readings').notNullable();
  // The columns of the score are null without readings, those of the heart rate (bpm) without heart rates.
  table.integer('score_sum').nullable();
  table.specificType('score_min', 'smallint').nullable();
  table.specificType('score_max', 'smallint').nullable();
  table.integer('heart_rates').notNullable();
  table.double('heart_rate_sum').nullable();
  table.double('heart_rate_min').nullable();
  table.double('heart_rate_max').nullable();
  // Comma-separated names.
  ascii(table, 'topics', 160).notNullable();
  table.primary(['account_id', 'subject_id', 'hour_ms']);
}
