import type { Knex } from 'knex';
import { addAscii, addAsciiJson, addFixedAscii, type Tables } from './table.js';

/**
 * Data about a person across sessions, which is stored until it is deleted. Each subject has one row. Each topic of a
 * subject has one trigger row. After an erasure, a row of `erasures` identifies an incarnation of a session whose
 * readings must still be deleted.
 */
export const subjectTables: Tables = {
  subjects: {
    content:
      'people: baseline, newest consent, stress of turns, names of active and resolved topics, live signals, alert times',
    notice: 'Your usual heart rate, to compare with',
    identifies: 'person',
    retention: 'until the person is erased',
    erasure: 'deleted',
    readBy: ['getSubject', 'getConsent', 'getState', 'ingest', 'ingestBatch'],
    about: {
      'account_id subject_id': 'account and person',
      version: 'internal id',
      body: 'baseline of the heart, newest consent, names of topics, newest session, signals of the last minutes',
      live_until_ms: 'time from which on none of these signals counts',
      alert_due_ms: 'time at which alert rules are evaluated for the person',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'subject_id', 256).notNullable();
      // Id of the transaction that wrote the row. A process uses its cached copy of the row only if the ids are equal.
      addAscii(table, 'version', 12).notNullable();
      // Null in a placeholder row, which a transaction inserts and locks before it stores data about the subject.
      addAsciiJson(table, 'body').nullable();
      // Rounded up, so that most readings do not change its index. Null without live signals.
      table.bigInteger('live_until_ms').nullable();
      table.primary(['account_id', 'subject_id']);
    },
    // Null for a person whom no rule concerns before the next reading. Earlier releases keep it, as they keep the plan in `body`.
    added: { alert_due_ms: (table) => void table.bigInteger('alert_due_ms').nullable() },
    indexes: { subjects_by_live: ['live_until_ms'], subjects_by_alert: ['account_id', 'alert_due_ms'] },
  },
  triggers: {
    content: 'Trigger Memory: topics of a person and the stress around them',
    notice: 'Names of topics that seem to stress you',
    identifies: 'person',
    retention: 'until the person is erased',
    erasure: 'deleted',
    erasesBySubject: {},
    readBy: ['getTriggers', 'getSubject'],
    about: {
      'account_id subject_id': 'account and person',
      'topic status': 'topic and its status',
      'recent_stress score_sum sightings peak_score sessions': 'stress at the mentions, and their number',
      'measured_turns measured_sum measured_squares': 'stress of the mentions, to compare with other turns',
      'last_seen_ms activation_at_ms activation_session_id': 'times, and the session of the activation',
      'resolving_sightings status_changes': 'progress and history of the status',
    },
    columns: defineTriggers,
    isClustered: true,
  },
  erasures: {
    content: 'erasures in progress',
    identifies: 'person',
    retention: 'until the readings of the session are erased',
    erasure: 'created, and deleted at its end',
    readBy: [],
    about: { 'account_id session_id incarnation': 'session whose readings are being erased' },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'session_id', 256).notNullable();
      addFixedAscii(table, 'incarnation', 12).notNullable();
      table.primary(['account_id', 'session_id', 'incarnation']);
    },
  },
};

/**
 * Adds the columns of triggers. The table is clustered, because a turn writes several triggers of one person, which
 * then share a page.
 */
function defineTriggers(table: Knex.CreateTableBuilder): void {
  addAscii(table, 'account_id', 32).notNullable();
  addAscii(table, 'subject_id', 256).notNullable();
  addAscii(table, 'topic', 64).notNullable();
  addAscii(table, 'status', 16).notNullable();
  table.double('recent_stress').notNullable();
  table.bigInteger('score_sum').notNullable();
  table.integer('sightings').notNullable();
  table.integer('peak_score').notNullable();
  table.integer('sessions').notNullable();
  table.bigInteger('last_seen_ms').notNullable();
  // The three activation columns are null until the trigger becomes active for the first time.
  addAscii(table, 'activation_session_id', 256).nullable();
  table.bigInteger('activation_at_ms').nullable();
  table.integer('resolving_sightings').nullable();
  // Stress of the complete turns. Null until there is one, and after a resolution.
  table.double('measured_turns').nullable();
  table.double('measured_sum').nullable();
  table.double('measured_squares').nullable();
  addAsciiJson(table, 'status_changes').notNullable();
  table.primary(['account_id', 'subject_id', 'topic']);
}
