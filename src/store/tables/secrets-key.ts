import { addAscii, addFixedAscii, type TableDefinition } from './table.js';

/** The secrets key that protects new secrets. It has one row, named `current`. */
export const secrets_keys: TableDefinition = {
  content: 'check value of `SECRETS_KEY`',
  identifies: 'nobody',
  retention: 'until the key is replaced',
  erasure: 'no data of people',
  readBy: [],
  about: { 'name check_value since_ms': 'check value and its time' },
  columns(table) {
    addAscii(table, 'name', 16).notNullable();
    addFixedAscii(table, 'check_value', 64).notNullable();
    table.bigInteger('since_ms').notNullable();
    table.primary(['name']);
  },
};
