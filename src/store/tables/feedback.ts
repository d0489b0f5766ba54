import { addAscii, addFixedAscii, type TableDefinition } from './table.js';

/** Reports of people, which are stored longer than readings and contain the published score. */
export const feedback: TableDefinition = {
  content: 'what people report about their stress, with the published score',
  notice: 'What you report about your stress',
  identifies: 'person',
  retention: 'RETENTION_FEEDBACK_DAYS',
  expiry: { kind: 'feedback', column: 'timestamp_ms' },
  erasesBySubject: { batchKey: 'feedback_id' },
  bindsBy: ['session_id', 'incarnation'],
  erasure: 'deleted. A report of a session that never had a `subject_id` stays until its retention ends',
  readBy: ['listFeedback', 'submitFeedback', 'getAgreement', 'getSubjectAgreement'],
  about: {
    account_id: 'account',
    'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
    'feedback_id incarnation': 'internal ids',
    'timestamp_ms duration_seconds recorded_at_ms': 'time of the report',
    'stress note_code': 'what the person said: a number and a code. Never text',
    'stress_score model_version readings': 'the published score of that time',
  },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    // `fb_` and a keyed digest of the body, so that a resend has the same id.
    addAscii(table, 'feedback_id', 64).notNullable();
    // Null while the session of the report has no subject.
    addAscii(table, 'subject_id', 256).nullable();
    // Null if the report named a subject.
    addAscii(table, 'session_id', 256).nullable();
    addFixedAscii(table, 'incarnation', 12).nullable();
    table.bigInteger('timestamp_ms').notNullable();
    table.integer('duration_seconds').nullable();
    table.specificType('stress', 'smallint').notNullable();
    addAscii(table, 'note_code', 32).nullable();
    // Null together if no score was published for the time of the report.
    table.specificType('stress_score', 'smallint').nullable();
    table.specificType('model_version', 'smallint').nullable();
    table.integer('readings').nullable();
    table.bigInteger('recorded_at_ms').notNullable();
    table.primary(['account_id', 'feedback_id']);
  },
  indexes: {
    feedback_by_age: ['timestamp_ms'],
    feedback_by_time: ['account_id', 'timestamp_ms', 'feedback_id'],
    feedback_by_subject: ['account_id', 'subject_id', 'timestamp_ms', 'feedback_id'],
    feedback_by_session: ['account_id', 'session_id'],
  },
};
