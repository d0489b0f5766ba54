import type { Knex } from 'knex';
import { addAscii, type TableDefinition } from './table.js';

/** Hours of people, which are stored longer than readings. */
export const subject_hours: TableDefinition = {
  content: 'summaries of hours of a person',
  notice: 'Summaries of your hours: time in each state, scores and heart rates',
  identifies: 'person',
  retention: 'RETENTION_SUMMARY_DAYS',
  expiry: { kind: 'hours', column: 'hour_ms' },
  erasure: 'deleted',
  erasesBySubject: { batchKey: 'hour_ms' },
  readBy: ['getSubjectSummary'],
  about: {
    'account_id subject_id': 'account and person',
    hour_ms: 'hour (UTC)',
    'calm_ms relaxed_ms focused_ms stressed_ms acute_stress_ms': 'time in each state',
    'readings score_sum score_min score_max': 'number of readings, and their scores',
    'heart_rates heart_rate_sum heart_rate_min heart_rate_max': 'heart rates',
    topics: 'names of topics',
  },
  columns: defineHours,
  indexes: { subject_hours_by_time: ['hour_ms'] },
};

function defineHours(table: Knex.CreateTableBuilder): void {
  addAscii(table, 'account_id', 32).notNullable();
  addAscii(table, 'subject_id', 256).notNullable();
  // Start of the UTC hour in epoch ms.
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
  addAscii(table, 'topics', 160).notNullable();
  table.primary(['account_id', 'subject_id', 'hour_ms']);
}
