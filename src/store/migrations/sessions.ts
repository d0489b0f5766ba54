import type { Knex } from 'knex';
import { ascii, asciiJson, asciiOf, createTable } from './create-table.js';

/**
 * A session row holds what the next reading needs. Readings are the history and, by their digest, detect resends. A
 * session that ends and begins again under its name is a new incarnation, which never sees the readings of an earlier
 * one, however long their deletion takes.
 */
export async function sessions(knex: Knex): Promise<void> {
  await createTable(knex, 'sessions', {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'session_id', 256).notNullable();
      asciiOf(table, 'incarnation', 12).notNullable();
      // Names the transaction that wrote the row, so that a process can tell whether its cached copy is current.
      ascii(table, 'version', 12).notNullable();
      ascii(table, 'subject_id', 256).nullable();
      table.bigInteger('touched_at_ms').notNullable();
      // Null in a placeholder row, which a transaction locks before the session's first reading.
      asciiJson(table, 'body').nullable();
      table.primary(['account_id', 'session_id']);
    },
    indexes: { sessions_by_touch: ['touched_at_ms'], sessions_by_subject: ['account_id', 'subject_id'] },
  });
  await createTable(knex, 'readings', {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'session_id', 256).notNullable();
      asciiOf(table, 'incarnation', 12).notNullable();
      table.bigInteger('timestamp_ms').notNullable();
      asciiOf(table, 'digest', 32).notNullable();
      table.integer('stress_score').notNullable();
      table.double('confidence').notNullable();
      // Text, because MariaDB prints some doubles wrong in the last digit.
      ascii(table, 'heart_rate', 32).nullable();
      asciiJson(table, 'response').notNullable();
      table.primary(['account_id', 'session_id', 'incarnation', 'timestamp_ms', 'digest']);
    },
    indexes: { readings_by_time: ['timestamp_ms'] },
  });
}
