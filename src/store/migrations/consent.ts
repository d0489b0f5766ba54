import { ascii, asciiJson, type Tables } from './create-table.js';

/** Consents. Each decision of a person is one row, which is stored until the person is erased. */
export const consentTables: Tables = {
  consents: {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'subject_id', 256).notNullable();
      // Counts from 1 per subject.
      table.integer('version').notNullable();
      table.bigInteger('recorded_at_ms').notNullable();
      asciiJson(table, 'body').notNullable();
      table.primary(['account_id', 'subject_id', 'version']);
    },
    isClustered: true,
  },
};
