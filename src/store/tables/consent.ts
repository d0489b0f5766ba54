import { addAscii, addAsciiJson, type TableDefinition } from './table.js';

/** Consents. Each decision of a person is one row, which is stored until the person is erased. */
export const consents: TableDefinition = {
  content: 'every version of the consent of a person',
  notice: 'What you allowed, and when',
  identifies: 'person',
  retention: 'until the person is erased',
  erasure: 'deleted',
  erasesBySubject: {},
  readBy: ['getConsent', 'listConsentVersions', 'putConsent'],
  about: {
    'account_id subject_id': 'account and person',
    'version recorded_at_ms': 'number and time of the version',
    body: 'categories, purposes, context, times and the reference of your evidence',
    code: 'keyed digest of the row, so that changes are detected',
  },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    addAscii(table, 'subject_id', 256).notNullable();
    // Counts from 1 per subject.
    table.integer('version').notNullable();
    table.bigInteger('recorded_at_ms').notNullable();
    addAsciiJson(table, 'body').notNullable();
    table.primary(['account_id', 'subject_id', 'version']);
  },
  coded: { key: ['account_id', 'subject_id', 'version'], fields: ['recorded_at_ms', 'body'] },
  isClustered: true,
};
