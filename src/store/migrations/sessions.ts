import type { Knex } from 'knex';
import { ascii, asciiJson, asciiOf, createTable } from './create-table.js';

/**
 * Creates the tables of sessions and readings. A session row contains the state that the next reading requires. The
 * readings are the history, and their digests detect resends.
 *
 * A session that expires and starts again with the same id is a new incarnation. It never uses readings of an earlier
 * incarnation, even before they are deleted.
 */
export async function sessions(knex: Knex): Promise<void> {
  await createTable(knex, 'sessions', {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'session_id', 256).notNullable();
      asciiOf(table, 'incarnation', 12).notNullable();
      // Id of the transaction that wrote the row. A process uses its cached copy of the row only if the ids are equal.
      ascii(table, 'version', 12).notNullable();
      ascii(table, 'subject_id', 256).nullable();
      // Time at which the last reading was accepted.
      table.bigInteger('touched_at_ms').notNullable();
      // Time at which the first reading was accepted. It never changes, so readings cause no updates of its indexes.
      table.bigInteger('started_at_ms').notNullable();
      // Null in a placeholder row, which a transaction inserts and locks before the session's first reading.
      asciiJson(table, 'body').nullable();
      table.primary(['account_id', 'session_id']);
    },
    indexes: {
      sessions_by_touch: ['touched_at_ms'],
      sessions_by_start: ['account_id', 'started_at_ms', 'incarnation'],
      sessions_by_subject: ['account_id', 'subject_id', 'started_at_ms', 'incarnation'],
    },
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
      // The reading's signals and context. Never contains text.
      asciiJson(table, 'signals').nullable();
      asciiJson(table, 'response').notNullable();
      // See stream_positions. The positions of one account's readings ascend in the order of their commits.
      table.bigInteger('position').notNullable();
      // The event that webhooks and streams send. Null if the reading did not change the state.
      asciiJson(table, 'state_change').nullable();
      table.primary(['account_id', 'session_id', 'incarnation', 'timestamp_ms', 'digest']);
    },
    indexes: {
      readings_by_time: ['timestamp_ms'],
      readings_by_position: ['account_id', 'position', 'session_id'],
      readings_of_session: ['account_id', 'session_id', 'incarnation', 'position'],
    },
  });
  await createTable(knex, 'stream_positions', {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      // Position of the account's newest reading.
      table.bigInteger('position').notNullable();
      table.bigInteger('erasures').notNullable();
      table.primary(['account_id']);
    },
  });
}
