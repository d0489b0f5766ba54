import { ascii, asciiOf, type Tables } from './create-table.js';

/** Calls per account and calendar month (UTC, e.g. `2026-11`). */
export const usageTables: Tables = {
  usage_months: {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      asciiOf(table, 'month', 7).notNullable();
      table.bigInteger('calls').notNullable();
      table.primary(['account_id', 'month']);
    },
  },
  // The retention that the last purge applied.
  applied_retention: {
    columns(table) {
      ascii(table, 'name', 64).notNullable();
      table.integer('value').notNullable();
      table.primary(['name']);
    },
  },
};
