import { ascii, asciiOf, type Tables } from './create-table.js';

/** The secrets key that protects new secrets. It has one row, named `current`. */
export const secretsKeyTables: Tables = {
  secrets_keys: {
    columns(table) {
      ascii(table, 'name', 16).notNullable();
      asciiOf(table, 'check_value', 64).notNullable();
      table.bigInteger('since_ms').notNullable();
      table.primary(['name']);
    },
  },
};
