import { addAscii, addFixedAscii, type Tables } from './table.js';

/** The row of `applied_retention` with the hours for which a database keeps readings by default. */
export const defaultHours = 'default_hours';

/** Calls per account and calendar month (UTC, e.g. `2026-11`). */
export const usageTables: Tables = {
  usage_months: {
    content: 'calls per account and month',
    identifies: 'nobody',
    retention: 'without end',
    erasure: 'no data of people',
    readBy: [],
    about: { 'account_id month calls': 'number of calls' },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addFixedAscii(table, 'month', 7).notNullable();
      table.bigInteger('calls').notNullable();
      table.primary(['account_id', 'month']);
    },
  },
  // The retention that the last purge applied, and the default one of a database that 1.0.0 did not create.
  applied_retention: {
    content: 'retention of readings that the last purge applied, and the default of the database',
    identifies: 'nobody',
    retention: 'without end',
    erasure: 'no data of people',
    readBy: [],
    about: { 'name value': 'number of hours' },
    columns(table) {
      addAscii(table, 'name', 64).notNullable();
      table.integer('value').notNullable();
      table.primary(['name']);
    },
  },
};
