import type { Knex } from 'knex';
import { addAscii, addAsciiJson, addFixedAscii, type Tables } from './table.js';

/**
 * Precision of `touched_at_ms` in ms. Most readings do not change the rounded time, which avoids an update of its index.
 */
export const touchStepMs = 60_000;
/** SQL of `toAccountKey` for a row of `sessions`. */
const accountKey = 'substr(sessions.account_id, 5, 12)';
/** Number of hex characters of a sample's key. The keys of one session must differ, so 64 bits suffice. */
export const sampleKeyLength = 16;

/**
 * Sessions and readings. A session row contains the state that the next reading requires. The readings are the history,
 * and their digests detect resends.
 *
 * A session that expires and starts again with the same id is a new incarnation. It never uses readings of an earlier
 * incarnation, even before they are deleted.
 */
export const sessionTables: Tables = {
  sessions: {
    content: 'sessions: current state, recent values, topics as numbers',
    identifies: 'person',
    retention: 'RETENTION_IDLE_SESSIONS_HOURS',
    expiry: {
      ...{ kind: 'sessions', column: 'touched_at_ms', graceMs: touchStepMs },
      // Every stored reading has a session, so that an erasure finds it.
      unless: ['session_readings', 'late_readings']
        .map(
          (it) =>
            `exists (select 1 from ${it} r where r.account = ${accountKey} and r.incarnation = sessions.incarnation)`,
        )
        .join(' or '),
    },
    erasure: 'deleted',
    readBy: ['getState', 'listSessions', 'getHistory', 'exportReadings'],
    about: {
      account_id: 'account',
      'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
      'incarnation version': 'internal ids',
      'touched_at_ms started_at_ms': 'times of the last and the first reading',
      body: 'current signals, baseline, score, reason and topic evidence. Never text',
    },
    columns: defineSessions,
    indexes: {
      sessions_by_touch: ['touched_at_ms'],
      sessions_by_start: ['account_id', 'started_at_ms', 'incarnation'],
      sessions_by_subject: ['account_id', 'subject_id', 'started_at_ms', 'incarnation'],
    },
    unique: { sessions_by_incarnation: ['account_id', 'incarnation'] },
  },
  // In the order of their acceptance. Short columns identify the account and the session, because each row and each
  // index entry repeats them.
  session_readings: {
    content: 'readings: signals, score and response',
    notice: 'Your measurements, and the estimates computed from them',
    identifies: 'person',
    retention: 'RETENTION_READINGS_HOURS',
    expiry: { kind: 'readings', column: 'timestamp_ms' },
    erasure: 'deleted',
    readBy: ['getHistory', 'exportReadings', 'streamEvents', 'getSubjectSummary', 'ingest', 'ingestBatch'],
    about: {
      'account incarnation': 'account and session, shortened',
      timestamp_ms: 'time of the reading',
      'position digest': 'order of storage, and a part of a hash that detects resends',
      signals: 'signals and context of the reading. Never text',
      'stress_score confidence previous_score model_version': 'score, its confidence, the previous score, the model',
      response: 'the rest of the response: reason, state, topics',
      state_change: 'the event that webhooks and streams send',
      moved_to: 'order of the last replacement of the reading, for exports',
    },
    columns: defineSessionReadings,
    // Position in `late_readings` of the last replacement. An export returns the reading there.
    added: { moved_to: (table) => void table.bigInteger('moved_to').nullable() },
    indexes: { session_readings_by_session: ['account', 'incarnation', 'position', 'digest'] },
    isClustered: true,
  },
  late_readings: {
    content: 'index of backfilled readings, and of readings with a `sample_id`',
    identifies: 'person',
    retention: 'RETENTION_READINGS_HOURS',
    erasure: 'deleted',
    readBy: [],
    about: {
      'account incarnation': 'account and session, shortened',
      timestamp_ms: 'time of the reading',
      'position digest': 'order of storage, and a part of a hash that detects resends',
      'sample row_position is_sourced': 'hash of the sample, its reading, and whether a source key sent it',
    },
    columns: defineLateReadings,
    // A body with a sample has a row with these columns, at a position that no reading has. Earlier releases ignore it,
    // and delete it with its session and after its time.
    added: {
      sample: (table) => void addFixedAscii(table, 'sample', sampleKeyLength).nullable(),
      // Position of the reading in `session_readings`.
      row_position: (table) => void table.bigInteger('row_position').nullable(),
      is_sourced: (table) => void table.specificType('is_sourced', 'smallint').nullable(),
    },
    indexes: {
      late_readings_by_sample: ['sample'],
      late_readings_by_session: ['account', 'incarnation', 'position'],
      late_readings_by_time: ['timestamp_ms'],
      late_readings_by_digest: ['account', 'incarnation', 'timestamp_ms', 'digest'],
    },
    isClustered: true,
  },
  stream_positions: {
    content: 'position of the newest reading of an account',
    identifies: 'nobody',
    retention: 'without end',
    erasure: 'no data of people',
    readBy: [],
    about: {
      'account_id position erasures': 'numbers',
      'purged_to_ms purge_until_ms': 'time before which no reading is stored, and the end of the present purge',
    },
    added: {
      // A lower limit of the times of the account's readings, except late ones. 0: unknown. Readings never lower it, because
      // their positions ascend.
      purged_to_ms: (table) => void table.bigInteger('purged_to_ms').notNullable().defaultTo(0),
      // A process that purges the account has it until this time.
      purge_until_ms: (table) => void table.bigInteger('purge_until_ms').notNullable().defaultTo(0),
    },
    indexes: { stream_positions_by_purge: ['purged_to_ms', 'account_id'] },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      // Position of the account's newest reading.
      table.bigInteger('position').notNullable();
      table.bigInteger('erasures').notNullable();
      table.primary(['account_id']);
    },
  },
};

function defineSessions(table: Knex.CreateTableBuilder): void {
  addAscii(table, 'account_id', 32).notNullable();
  addAscii(table, 'session_id', 256).notNullable();
  addFixedAscii(table, 'incarnation', 12).notNullable();
  // Id of the transaction that wrote the row. A process uses its cached copy of the row only if the ids are equal.
  addAscii(table, 'version', 12).notNullable();
  addAscii(table, 'subject_id', 256).nullable();
  // Time at which the last reading was accepted.
  table.bigInteger('touched_at_ms').notNullable();
  // Time at which the first reading was accepted. It never changes, so readings cause no updates of its indexes.
  table.bigInteger('started_at_ms').notNullable();
  // Null in a placeholder row, which a transaction inserts and locks before the session's first reading.
  addAsciiJson(table, 'body').nullable();
  table.primary(['account_id', 'session_id']);
}

function defineSessionReadings(table: Knex.CreateTableBuilder): void {
  // The first 12 hex digits of the account id.
  addFixedAscii(table, 'account', 12).notNullable();
  // See stream_positions. The positions of one account's readings ascend in the order of their commits.
  table.bigInteger('position').notNullable();
  // See sessions.
  addFixedAscii(table, 'incarnation', 12).notNullable();
  table.bigInteger('timestamp_ms').notNullable();
  addFixedAscii(table, 'digest', 12).notNullable();
  table.specificType('stress_score', 'smallint').notNullable();
  table.double('confidence').notNullable();
  table.specificType('model_version', 'smallint').notNullable();
  // Score of the session's previous reading. Null for the first reading.
  table.specificType('previous_score', 'smallint').nullable();
  // The reading's signals and context. Never contains text.
  addAsciiJson(table, 'signals').notNullable();
  // The rest of the response. Contains a field of another column only if both differ.
  addAsciiJson(table, 'response').notNullable();
  // The event that webhooks and streams send. Null if the reading did not change the state.
  addAsciiJson(table, 'state_change').nullable();
  table.primary(['account', 'position']);
}

/** Readings whose timestamp is far from the time of their acceptance, e.g. backfilled readings. */
function defineLateReadings(table: Knex.CreateTableBuilder): void {
  addFixedAscii(table, 'account', 12).notNullable();
  table.bigInteger('position').notNullable();
  addFixedAscii(table, 'incarnation', 12).notNullable();
  table.bigInteger('timestamp_ms').notNullable();
  addFixedAscii(table, 'digest', 12).notNullable();
  table.primary(['account', 'position']);
}
