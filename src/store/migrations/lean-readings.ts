import type { Knex } from 'knex';
import { asciiJson, asciiOf, createTable } from './create-table.js';

/**
 * Creates the tables of readings in the order of their acceptance. Short columns identify the account and the session,
 * because each row and each index entry repeats them.
 *
 * The table `readings` of earlier versions remains, so that a later release can drop it.
 */
export async function leanReadings(knex: Knex): Promise<void> {
  await createTable(knex, 'session_readings', {
    columns: defineSessionReadings,
    indexes: { session_readings_by_session: ['account', 'incarnation', 'position', 'digest'] },
    isClustered: true,
  });
  await createTable(knex, 'late_readings', {
    columns: defineLateReadings,
    indexes: {
      late_readings_by_time: ['timestamp_ms'],
      late_readings_by_digest: ['account', 'incarnation', 'timestamp_ms', 'digest'],
    },
    isClustered: true,
  });
  await createTable(knex, 'sessions', {
    columns: () => undefined,
    unique: { sessions_by_incarnation: ['account_id', 'incarnation'] },
  });
}

function defineSessionReadings(table: Knex.CreateTableBuilder): void {
  // The first 12 hex digits of the account id.
  asciiOf(table, 'account', 12).notNullable();
  // See stream_positions. The positions of one account's readings ascend in the order of their commits.
  table.bigInteger('position').notNullable();
  // See sessions.
  asciiOf(table, 'incarnation', 12).notNullable();
  table.bigInteger('timestamp_ms').notNullable();
  asciiOf(table, 'digest', 12).notNullable();
  table.specificType('stress_score', 'smallint').notNullable();
  table.double('confidence').notNullable();
  table.specificType('model_version', 'smallint').notNullable();
  // Score of the session's previous reading. Null for the first reading.
  table.specificType('previous_score', 'smallint').nullable();
  // The reading's signals and context. Never contains text.
  asciiJson(table, 'signals').notNullable();
  // The rest of the response. Contains a field of another column only if both differ.
  asciiJson(table, 'response').notNullable();
  // The event that webhooks and streams send. Null if the reading did not change the state.
  asciiJson(table, 'state_change').nullable();
  table.primary(['account', 'position']);
}

/** Readings whose timestamp is far from the time of their acceptance, e.g. backfilled readings. */
function defineLateReadings(table: Knex.CreateTableBuilder): void {
  asciiOf(table, 'account', 12).notNullable();
  table.bigInteger('position').notNullable();
  asciiOf(table, 'incarnation', 12).notNullable();
  table.bigInteger('timestamp_ms').notNullable();
  asciiOf(table, 'digest', 12).notNullable();
  table.primary(['account', 'position']);
}
