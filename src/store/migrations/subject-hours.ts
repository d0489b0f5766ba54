import type { Knex } from 'knex';
import { ascii, type Tables } from './create-table.js';

/** Hours of people, which are stored longer than readings. */
export const subjectHourTables: Tables = {
  subject_hours: { columns: defineHours, indexes: { subject_hours_by_time: ['hour_ms'] } },
};

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
