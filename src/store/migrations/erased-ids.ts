import { ascii, asciiOf, type Tables } from './create-table.js';

/** Erased ids. With them, the service rejects readings whose token is from before the erasure. */
export const erasedIdTables: Tables = {
  erased_ids: {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      // Keyed digest of the kind and the id. The row never contains the id of an erased person.
      asciiOf(table, 'digest', 32).notNullable();
      table.bigInteger('erased_at_ms').notNullable();
      table.primary(['account_id', 'digest']);
    },
    indexes: { erased_ids_by_time: ['erased_at_ms'] },
  },
};
